/* SPDX-License-Identifier: GPL-2.0 */
/* The formats a report is written in. */
#ifndef IOBLAME_WRITER_H
#define IOBLAME_WRITER_H

#include <stdbool.h>
#include <stdio.h>

#include "report.h"

struct iob_diff;
struct json_object;
struct iob_metric;

/* How far the telling frames of a stack were told. */
struct iob_telling {
	size_t nr;
	bool done;
};

struct iob_write_options {
	FILE *out;
	unsigned int width;	/* of the terminal; 0: never cut */
	bool exact;		/* bytes and ns instead of MiB and ms */
	bool stacks;		/* whole stacks below the table */
	uint32_t shown;		/* bits of the row fields that have columns */
	const struct iob_metric *metric;	/* what is added up; never NULL */
	size_t top;		/* for a writer that cuts; 0: all */
	bool colour;
	const struct iob_key *const *levels;	/* of a tree; NULL: a table */
	size_t nr_levels;
	const char *sort;	/* of what lies side by side in a tree */
	bool width_of_a;	/* of frames in a graph of two reports */
};

struct iob_writer {
	const char *name;
	/* Rows that a user did not choose the keys of agree in these. */
	uint32_t default_fields;
	/* What a stacked disk was given is left to the disk below. */
	bool counts_once;
	bool all_metrics;	/* writes every metric that is known */
	bool for_people;	/* who share their terminal with COMMAND */
	bool cuts;		/* orders the rows, and takes the top, itself */
	bool answers;		/* says first what the report comes to */
	int (*write)(const struct iob_report *r,
		     const struct iob_write_options *o, struct iob_err *err);
	/* Two reports side by side; NULL: not in this format. */
	int (*diff)(const struct iob_diff *d,
		    const struct iob_write_options *o, struct iob_err *err);
};

extern const struct iob_writer iob_table_writer, iob_json_writer,
	iob_csv_writer, iob_raw_writer, iob_stacks_writer,
	iob_folded_writer, iob_svg_writer, iob_speedscope_writer,
	iob_jsonl_writer, iob_openmetrics_writer, iob_pprof_writer;

#define IOB_ALL_FIELDS ((1u << IOB_NR_ROW_FIELDS) - 1)

const char *iob_report_devname(const struct iob_report *r, uint32_t dev,
			       char *buf, size_t size);
int iob_write_head(const struct iob_report *r,
		   const struct iob_write_options *o, const char *prefix);
void iob_write_where(const struct iob_report *r, FILE *out);
char *iob_head_text(const struct iob_report *r,
		    const struct iob_write_options *o);
void iob_format_dev(char *buf, size_t size, uint32_t dev);
void iob_format_bytes(char *buf, size_t size, uint64_t bytes, bool exact);
void iob_format_ns(char *buf, size_t size, uint64_t ns, bool exact);
void iob_format_frame(char *buf, size_t size, struct iob_field frame);
void iob_format_function(char *buf, size_t size, struct iob_field frame);
void iob_format_telling(char *buf, size_t size, const char *frames);
bool iob_frame_tells(struct iob_telling *t, struct iob_field frame,
		     struct iob_field *name, bool *call);
bool iob_format_losses(char *buf, size_t size, const struct iob_report *r);
bool iob_format_bases(char *buf, size_t size, const struct iob_report *r);
int iob_diff_to_table(const struct iob_diff *d,
		      const struct iob_write_options *o, struct iob_err *err);
int iob_diff_to_json(const struct iob_diff *d,
		     const struct iob_write_options *o, struct iob_err *err);
int iob_diff_to_csv(const struct iob_diff *d,
		    const struct iob_write_options *o, struct iob_err *err);
int iob_csv_text(FILE *out, const char *text, char sep);
void iob_csv_names(FILE *out, char sep);
int iob_csv_fields(FILE *out, const struct iob_report *r,
		   const struct iob_row *row, char sep);
int iob_csv_container(FILE *out, const struct iob_row *row, char sep);
void iob_json_fields(struct json_object *o, const struct iob_row *row);
int iob_json_put(struct json_object *json, FILE *out, struct iob_err *err);
struct json_object *iob_json_text(const char *s);
struct json_object *iob_report_to_json(const struct iob_report *r);
struct json_object *iob_row_to_json(const struct iob_report *r,
				    const struct iob_row *row);
struct json_object *iob_frames_to_json(const char *frames);

#endif /* IOBLAME_WRITER_H */
