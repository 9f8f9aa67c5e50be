# SPDX-License-Identifier: GPL-2.0
#
# make, make install   module for the running kernel (KDIR= for another), tools
# make install-tools   the program alone; install-module, install-source (for DKMS) likewise
# make uninstall       takes away what any of these put there
# make demo            everything from nothing: see who wrote what, in a guest
# make check           what decides whether a change lands, on every kernel
# make check-long      every selftest on every kernel: some hours
# make check-fast      lint and host tests only
# make fuzz            libFuzzer on every reader: 10 minutes each, see testing.rst
# make bench           what watching costs, in instructions, beside other tools

KDIR ?= /lib/modules/$(shell uname -r)/build
DESTDIR ?=
PREFIX ?= /usr/local

# What dkms.conf says, without its quotes.
NAME := $(shell sed -n 's/^PACKAGE_NAME="\(.*\)"/\1/p' dkms.conf)
VERSION := $(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf)
# Not below PREFIX: there alone dkms looks for it.
SOURCE := $(DESTDIR)/usr/src/$(NAME)-$(VERSION)
# Named, as kernels differ in where they put a module that is not theirs.
MODULE_DIR := updates
# "make kernelrelease" leaves out what some distributions add.
RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' $(KDIR)/include/generated/utsrelease.h 2>/dev/null)

all: module tools

module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

tools:
	$(MAKE) -C tools

install: install-module install-tools

install-module: module
	$(MAKE) -C $(KDIR) M=$(CURDIR) INSTALL_MOD_PATH=$(DESTDIR) \
		INSTALL_MOD_DIR=$(MODULE_DIR) modules_install

install-tools:
	$(MAKE) -C tools install DESTDIR=$(DESTDIR) PREFIX=$(PREFIX)

# What "dkms add" takes; the tests are no part of the module.
install-source:
	find Kbuild dkms.conf module -path module/tests -prune -o -type f \
		\( -name '*.[ch]' -o -name '*.mk' -o -name '*.py' -o -name '*.list' \
		-o ! -path 'module/*' \) ! -name '*.mod.c' ! -name offsets.h -print | \
		while read -r name; do \
			install -D -m 644 "$$name" "$(SOURCE)/$$name" || exit 1; \
		done

uninstall:
	$(MAKE) -C tools uninstall DESTDIR=$(DESTDIR) PREFIX=$(PREFIX)
	rm -rf $(SOURCE)
	$(if $(RELEASE),rm -f $(DESTDIR)/lib/modules/$(RELEASE)/$(MODULE_DIR)/ioblame.ko* \
		$(DESTDIR)/lib/modules/$(RELEASE)/$(MODULE_DIR)/ioblame_kunit.ko*)

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

.PHONY: all module tools install install-module install-tools install-source uninstall demo check check-long check-fast fuzz bench clean
