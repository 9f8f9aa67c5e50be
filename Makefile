# SPDX-License-Identifier: GPL-2.0
#
# make, make install   module for the running kernel (KDIR= for another), tools
# make demo            everything from nothing: see who wrote what, in a guest
# make check           what decides whether a change lands, on every kernel
# make check-long      every selftest on every kernel: some hours
# make check-fast      lint and host tests only
# make fuzz            libFuzzer on every reader: 10 minutes each, see testing.rst
# make bench           what watching costs, in instructions, beside other tools

KDIR ?= /lib/modules/$(shell uname -r)/build
DESTDIR ?=
PREFIX ?= /usr/local

all: module tools

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

tools:
	$(MAKE) -C tools

install: all
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) modules_install
	$(MAKE) -C tools install DESTDIR=$(DESTDIR) PREFIX=$(PREFIX)

demo:
	@scripts/demo

check:
	@scripts/check

check-long:
	@scripts/check --long

check-fast:
	@scripts/check --fast

fuzz:
	@scripts/prepare check fuzz
	@$(MAKE) --no-print-directory -C tools fuzz

bench:
	@scripts/bench

clean:
	-$(MAKE) -C $(KDIR) M=$(CURDIR) clean
	$(MAKE) -C tools clean
	$(MAKE) -C selftests clean
	$(MAKE) -C module/tests clean
	rm -rf build

.PHONY: all module tools install demo check check-long check-fast fuzz bench clean
