// SPDX-License-Identifier: GPL-2.0
/*
 * folios FILE: how FILE lies in the page cache: bytes of the largest folio. A page
 * frame says of itself whether it is the head or another page of a folio
 * (Documentation/admin-guide/mm/pagemap.rst in the kernel's source).
 */
#include "work.h"

#include <fcntl.h>
#include <linux/kernel-page-flags.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define PAGEMAP_PFN	((1ULL << 55) - 1)
#define PAGEMAP_PRESENT	(1ULL << 63)

static uint64_t entry(int fd, uint64_t nr)
{
	uint64_t word;

	if (pread(fd, &word, sizeof(word), (off_t)(nr * sizeof(word))) !=
	    sizeof(word))
		die("pagemap or kpageflags");
	return word;
}

static int open_or_die(const char *path)
{
	int fd = open(path, O_RDONLY);

	if (fd < 0)
		die(path);
	return fd;
}

int main(int argc, char **argv)
{
	unsigned long long pages = 0, largest = 0, i, nr;
	uint64_t page, flags;
	struct stat st;
	volatile char *map;
	int file, map_fd, flags_fd;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE\n", argv[0]);
		return 2;
	}
	file = open_or_die(argv[1]);
	map_fd = open_or_die("/proc/self/pagemap");
	flags_fd = open_or_die("/proc/kpageflags");
	if (fstat(file, &st))
		die(argv[1]);
	nr = ((unsigned long long)st.st_size + BLOCK_BYTES - 1) / BLOCK_BYTES;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, file, 0);
	if (map == MAP_FAILED)
		die("mmap");
	for (i = 0; i < nr; i++) {
		(void)map[i * BLOCK_BYTES];
		page = entry(map_fd, (uintptr_t)map / BLOCK_BYTES + i);
		if (!(page & PAGEMAP_PRESENT))
			continue;
		flags = entry(flags_fd, page & PAGEMAP_PFN);
		pages = flags & (1ULL << KPF_COMPOUND_TAIL) ? pages + 1 : 1;
		if (pages > largest)
			largest = pages;
	}
	printf("%llu\n", largest * BLOCK_BYTES);
	return 0;
}
