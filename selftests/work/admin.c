// SPDX-License-Identifier: GPL-2.0
/*
 * admin DEVICE: let an NVMe controller identify itself: a command with data on a
 * queue that has no disk.
 */
#include "work.h"

#include <fcntl.h>
#include <linux/nvme_ioctl.h>
#include <stdint.h>
#include <sys/ioctl.h>

#define NVME_IDENTIFY		0x06
#define NVME_IDENTIFY_CTRL	1

int main(int argc, char **argv)
{
	static char data[BLOCK_BYTES] __attribute__((aligned(4096)));
	struct nvme_admin_cmd cmd = {
		.opcode = NVME_IDENTIFY,
		.addr = (uintptr_t)data,
		.data_len = sizeof(data),
		.cdw10 = NVME_IDENTIFY_CTRL,
	};
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: %s DEVICE\n", argv[0]);
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || ioctl(fd, NVME_IOCTL_ADMIN_CMD, &cmd))
		die(argv[1]);
	return 0;
}
