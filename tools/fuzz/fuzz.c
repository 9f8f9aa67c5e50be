// SPDX-License-Identifier: GPL-2.0
/* libFuzzer's side: the program's own name says which target it is. */
#include <locale.h>
#include <string.h>

#include "fuzz.h"

static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = strrchr((*argv)[0], '/');

	(void)argc;
	name = name ? name + 1 : (*argv)[0];
	for (target = fuzz_targets; target->name; target++)
		if (!strcmp(target->name, name))
			break;
	if (!target->name) {
		fprintf(stderr, "no target '%s': call this by a link that has the name of one\n",
			name);
		exit(2);
	}
	setlocale(LC_CTYPE, "C.UTF-8");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	target->run(data, size);
	return 0;
}
