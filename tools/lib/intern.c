// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "intern.h"

struct entry {
	struct entry *next;
	uint32_t hash;
	size_t len;
	char text[];
};

struct iob_strings {
	struct entry **slots;
	size_t nr_slots;
	size_t nr;
};

/**
 * iob_strings_create - an empty set of strings
 *
 * Return: the set, or NULL without memory.
 */
struct iob_strings *iob_strings_create(void)
{
	struct iob_strings *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->nr_slots = 256;
	s->slots = calloc(s->nr_slots, sizeof(*s->slots));
	if (!s->slots) {
		free(s);
		return NULL;
	}
	return s;
}

/**
 * iob_strings_destroy - free the set and every string in it
 * @s: the set, or NULL
 */
void iob_strings_destroy(struct iob_strings *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr_slots; i++) {
		struct entry *e = s->slots[i], *next;

		for (; e; e = next) {
			next = e->next;
			free(e);
		}
	}
	free(s->slots);
	free(s);
}

static uint32_t hash_of(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	while (len--)
		h = (h ^ (unsigned char)*text++) * 16777619u;
	return h;
}

/* Without memory for a bigger table the old one serves on, only slower. */
static void grow(struct iob_strings *s)
{
	size_t n = s->nr_slots * 2;
	struct entry **slots = calloc(n, sizeof(*slots));

	if (!slots)
		return;
	for (size_t i = 0; i < s->nr_slots; i++) {
		struct entry *e = s->slots[i], *next;

		for (; e; e = next) {
			next = e->next;
			e->next = slots[e->hash & (n - 1)];
			slots[e->hash & (n - 1)] = e;
		}
	}
	free(s->slots);
	s->slots = slots;
	s->nr_slots = n;
}

/**
 * iob_strings_intern - the one copy of a text
 * @s: the set
 * @text: bytes; need not end in NUL
 * @len: how many
 *
 * Return: a NUL-terminated string that lives as long as @s, or NULL without
 * memory.
 */
const char *iob_strings_intern(struct iob_strings *s, const char *text,
			       size_t len)
{
	uint32_t h = hash_of(text, len);
	struct entry *e;

	for (e = s->slots[h & (s->nr_slots - 1)]; e; e = e->next)
		if (e->hash == h && e->len == len && !memcmp(e->text, text, len))
			return e->text;
	if (s->nr >= s->nr_slots)
		grow(s);
	e = malloc(sizeof(*e) + len + 1);
	if (!e)
		return NULL;
	e->hash = h;
	e->len = len;
	memcpy(e->text, text, len);
	e->text[len] = '\0';
	e->next = s->slots[h & (s->nr_slots - 1)];
	s->slots[h & (s->nr_slots - 1)] = e;
	s->nr++;
	return e->text;
}

static bool is_plain(char c)
{
	return c >= ' ' && c < 0x7f;
}

/**
 * iob_strings_word - the one copy of a text that is shown as it stands
 * @s: the set
 * @text: bytes; need not end in NUL
 * @len: how many
 *
 * For what is no user's name but a word of the module's or the kernel's, a function
 * or a disk: it is ASCII, unless somebody made it up. What is not is written as
 * ``\xNN``, for good; a backslash stays, so that a word made so is not made so again.
 *
 * Return: a NUL-terminated string that lives as long as @s, or NULL without
 * memory.
 */
const char *iob_strings_word(struct iob_strings *s, const char *text,
			     size_t len)
{
	size_t nr_odd = 0, at = 0;
	const char *kept;
	char *plain;

	for (size_t i = 0; i < len; i++)
		nr_odd += !is_plain(text[i]);
	if (!nr_odd)
		return iob_strings_intern(s, text, len);
	plain = malloc(len + 3 * nr_odd + 1);
	if (!plain)
		return NULL;
	for (size_t i = 0; i < len; i++) {
		if (is_plain(text[i]))
			plain[at++] = text[i];
		else
			at += sprintf(plain + at, "\\x%02x",
				      (unsigned char)text[i]);
	}
	kept = iob_strings_intern(s, plain, at);
	free(plain);
	return kept;
}
