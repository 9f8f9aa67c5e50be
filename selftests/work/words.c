// SPDX-License-Identifier: GPL-2.0
/*
 * words: the numbers and words of the ABI header, as "list word" lines, so that
 * a test can hold what the module prints against what the header promises.
 */
#include <stdio.h>

#include "ioblame.h"

#define PRINT(list, macro)						\
	do {								\
		static const char *const words[] = { macro(IOB_ENUM_WORD) }; \
		print(list, words, sizeof(words) / sizeof(words[0]));	\
	} while (0)

static void print(const char *list, const char *const *words, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		printf("%s %s\n", list, words[i]);
}

int main(void)
{
	printf("abi %d\n", IOB_ABI);
	PRINT("act", IOB_RESERVED_ACTS);
	PRINT("op", IOB_OPS);
	PRINT("kind", IOB_KINDS);
	PRINT("basis", IOB_BASES);
	PRINT("reason", IOB_REASONS);
	PRINT("io_flag", IOB_IO_FLAGS);
	PRINT("role_flag", IOB_ROLE_FLAGS);
	PRINT("file_flag", IOB_FILE_FLAGS);
	return 0;
}
