/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hostile input, one function a reader. The same functions are run by libFuzzer
 * (fuzz.c) and, on the inputs that were kept, by the host tests (replay.c).
 */
#ifndef IOBLAME_FUZZ_H
#define IOBLAME_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* name, what it reads; each has a folder in corpus/ */
#define FUZZ_TARGETS(X)							\
	X(recording, "recordings: chunks, packed ones, formats")	\
	X(format, "formats of events")					\
	X(events, "events of known formats")				\
	X(tables, "the module's tables, twice: report and live view")	\
	X(report, "reports saved as JSON")				\
	X(diff, "two reports, compared")				\
	X(mounts, "mountinfo")						\
	X(store, "stores: what is in a row, and whole files")		\
	X(names, "names, in every format")				\
	X(escape, "escapes, and texts cut to a width")			\
	X(options, "arguments and filters")

struct fuzz_target {
	const char *name, *what;
	void (*run)(const uint8_t *data, size_t size);
};

extern const struct fuzz_target fuzz_targets[];

#define FUZZ_DECLARE(name, what) \
	void fuzz_##name(const uint8_t *data, size_t size);
FUZZ_TARGETS(FUZZ_DECLARE)

/* What must be true of every input. */
#define MUST(condition)							\
	do {								\
		if (!(condition)) {					\
			fprintf(stderr, "%s:%d: not true: %s\n",	\
				__FILE__, __LINE__, #condition);	\
			abort();					\
		}							\
	} while (0)

/* What was written to memory, and what may be asked of it. */
struct fuzz_out {
	FILE *file;
	char *text;
	size_t len;
};

void out_open(struct fuzz_out *o);
void out_close(struct fuzz_out *o);
void out_free(struct fuzz_out *o);

void must_be_text(const char *text, size_t len, const char *controls);
void must_be_json(const char *text, size_t len);
void must_be_json_lines(const char *text, size_t len);
void must_be_folded(const char *text, size_t len);
void must_be_xml(const char *text, size_t len);
void must_be_csv(const char *text, size_t len);
void must_be_raw(const char *text, size_t len);
void must_be_pprof(const char *text, size_t len);
void must_be_metrics(const char *text, size_t len);

struct iob_diff;
struct iob_report;
struct iob_event;
struct iob_events;
struct iob_names;
struct iob_snapshot;
struct iob_tables;
struct script;

void must_write(struct iob_report *r);
void must_compare(struct iob_diff *d);

/* IOs as script shows them. */
struct script *script_create(struct iob_tables *t, const struct iob_names *n);
void script_event(struct script *s, uint64_t ts_ns, const struct iob_event *ev);
void script_end(struct script *s);

/* A part of the input up to a byte, NUL-terminated; NULL after the last. */
char *next_part(const uint8_t **data, size_t *size, char end);

#endif /* IOBLAME_FUZZ_H */
