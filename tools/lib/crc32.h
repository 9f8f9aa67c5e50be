/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IOBLAME_CRC32_H
#define IOBLAME_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t iob_crc32(uint32_t crc, const void *p, size_t len);

#endif /* IOBLAME_CRC32_H */
