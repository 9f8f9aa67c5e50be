/* SPDX-License-Identifier: GPL-2.0 */
/* What the user asked for. Filled by params_parse(), which touches no system. */
#ifndef IOBLAME_PARAMS_H
#define IOBLAME_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "errtext.h"
#include "vec.h"

struct command;
struct iob_writer;

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct texts {
	const char **v;
	size_t nr, max;
};

struct params {
	const struct command *cmd;
	char **argv;			/* COMMAND to run, or NULL */
	bool help;

	const char *input, *output;
	const char *files[2];		/* of diff; the first is input, too */
	const char *module;		/* file to load */
	double duration;		/* seconds; 0: until COMMAND or the user ends */
	double settle;
	bool no_sync;
	bool readahead;

	uint32_t by;			/* row fields; 0: the writer's own choice */
	const char *sort;
	uint64_t top;
	const struct iob_writer *writer;	/* NULL: the command's own */
	const struct format *format;	/* of export */
	const struct iob_metric *metric;	/* NULL: the first */
	double interval;		/* seconds; of top */
	uint64_t count;			/* intervals; 0: until the user ends */
	bool batch;
	bool stacks, exact;
	bool tree, amplification;
	const char *by_list;		/* as it was given */
	enum colour colour;
	int scale;			/* enum iob_scale, of diff */
	int width_side;			/* enum iob_side + 1, of diff; 0: not told */

	struct texts devs, pids, tgids, cgroups, comms, ops;
	uint64_t buffer_kb;
	bool self;			/* also the recorder's own IO */
	uint64_t max_size;		/* of a file, bytes; 0: no limit */
	double max_age;			/* seconds; 0: no limit */
	uint64_t keep;			/* files */
	bool no_progress;
	int pack_level;			/* of a recording; 0: not packed */

	const char *since, *until;	/* of history */

	const char *store;		/* of watch */
	uint64_t store_size;
	double flight;			/* seconds before a trigger */
	bool no_flight;
	uint64_t flight_size;		/* bytes of memory */
	const char *saves;		/* directory */
	double after, hold_off;		/* seconds after a trigger */
	struct texts triggers;
	const char *push_url, *listen;
	uint64_t push_every;		/* seconds */
};

struct option_def {
	const char *name;
	char letter;			/* 0: none */
	const char *arg;		/* what --help calls it; NULL: a flag */
	int (*set)(struct params *p, const struct option_def *o,
		   const char *value, struct iob_err *err);
	size_t offset;			/* of what is set in struct params */
	const void *data;
	unsigned int commands;		/* bits of enum command_bit */
	const char *help;
};

enum command_bit {
	CMD_REPORT	= 1 << 0,
	CMD_RECORD	= 1 << 1,
	CMD_SCRIPT	= 1 << 2,
	CMD_CHECK	= 1 << 3,
	CMD_VERSION	= 1 << 4,
	CMD_STACKS	= 1 << 5,
	CMD_EXPORT	= 1 << 6,
	CMD_TOP		= 1 << 7,
	CMD_WATCH	= 1 << 8,
	CMD_HISTORY	= 1 << 9,
	CMD_DIFF	= 1 << 10,
};

extern const struct option_def options[];

int params_parse(struct params *p, const struct command *cmd, int argc,
		 char **argv, struct iob_err *err);
void params_free(struct params *p);

#endif /* IOBLAME_PARAMS_H */
