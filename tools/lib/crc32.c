// SPDX-License-Identifier: GPL-2.0
/* The CRC of Ethernet and zip; own code, as zlib would be needed for no more. */
#include "crc32.h"

#define POLYNOMIAL 0xedb88320u

/**
 * iob_crc32 - checksum of more bytes
 * @crc: of the bytes before; 0 at first
 * @p: the bytes
 * @len: how many
 *
 * Return: the checksum of all.
 */
uint32_t iob_crc32(uint32_t crc, const void *p, size_t len)
{
	static uint32_t table[256];
	const unsigned char *u = p;

	if (!table[1]) {
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t c = i;

			for (int k = 0; k < 8; k++)
				c = c & 1 ? c >> 1 ^ POLYNOMIAL : c >> 1;
			table[i] = c;
		}
	}
	crc = ~crc;
	while (len--)
		crc = crc >> 8 ^ table[(crc ^ *u++) & 0xff];
	return ~crc;
}
