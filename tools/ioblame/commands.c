// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>

#include "command.h"
#include "row.h"
#include "writer.h"

const struct command commands[] = {
	{
		.name = "report", .bit = CMD_REPORT, .runs = true,
		.ops = &report_ops, .writer = &iob_table_writer,
		.usage = "[OPTIONS] [-i FILE | -d SECONDS | -- COMMAND...]",
		.summary = "who wrote what to which disk, and why",
		.text =
"Without --input, watches live: while COMMAND runs and until its data has been "
"written back (sync, then at most --settle seconds), for --duration seconds, or "
"until Ctrl-C. The report is the difference in the module's totals: no ring "
"buffer is involved and nothing can be lost. What happens on the whole machine "
"is reported, not COMMAND alone; filters narrow it.\n"
"\n"
"First comes what it amounts to, a sentence for each of the three busiest disks: who "
"has most of what it mostly did. What is attributed to nobody is said before that where "
"it is a tenth or more, and where nobody has half of it, alone or with two others, it "
"says so. Shares are of what the disk completed, as in the table.\n"
"\n"
"The next lines say how long, which disks, how many bytes of each operation, "
"which share is attributed on which basis, what is not attributed, what was "
"dirtied but deleted before being written (cancelled), and what detail was lost. "
"A kind of loss that occurred comes first.\n"
"\n"
"Each row is an origin: who made the data dirty (or asked for the IO), in which "
"file, by which path through the kernel. [preexisting], [lost], [stale], [folded] "
"in the place of a name say why the name is not known. '*' stands where the rows "
"of a group differ, '-' where nothing is known. ios of a row counts the completed "
"IOs in which it has a share, so one IO of two origins counts in two rows; bytes "
"add up exactly.\n"
"\n"
"container is what users call a cgroup: docker:ID, podman:ID, containerd:ID, crio:ID (as far as its "
"path tells; 12 digits of the id), pod:UID (8 digits) before it if it is in one, lxc:NAME, "
"machine:NAME, and else the service, scope or slice of systemd. Disks of device mapper and md have "
"their own names in the table, and --dev takes these. Paths are those of the mounts of the first process; a file "
"that is mounted in another namespace alone is mnt:[NUMBER]/PATH, as a process there sees "
"it. '(deleted)' stands behind the path of a file that had no name any more.\n"
"\n"
"What a stacked disk (dm, md, loop) was given reaches the disk below, too. The "
"share that is attributed, and rows that do not name their disk, count the lowest "
"disk only; --json, --csv and --raw have the rows of all, unless told --by.\n"
"\n"
"Percentiles come from log2 histograms: each is the upper end of the bucket it "
"falls into, but at most the longest time seen; never too low, at most twice "
"too high. 'age p50' is the time from dirtying to completion, by pages; 'dev "
"p99' that from dispatch to completion, by IOs.\n"
"\n"
"With --tree, rows hang below each other by the keys of --by; the sums of a line are those of all "
"that is below it, also of what --top leaves out.\n"
"\n"
"With --amplification, 'data' is what was written of files' data (also direct, and swap), "
"'metadata' of metadata and inodes, 'journal' of journals and logs, 'other' all else: "
"parity, copies within a device, and what nobody knows. 'ratio' is all that was written by the data in "
"it. 'dirtied' is data plus cancelled: the module does not export how much was made dirty, so "
"what is still in memory is not in it. All is as the lowest disks got it: what a mirror "
"writes twice is twice in data, too. Journals are charged to who joined the transaction, "
"so a row's ratio is its own.\n"
"\n"
"Numbers for people have the decimal point of the locale (LC_NUMERIC), those of --json, "
"--csv and --raw never. Colours can be switched off for good by NO_COLOR or as terminal-colors.d(5) "
"has it, for ioblame.\n"
"\n"
"With --readahead, 'used' is how much of what a row has read was then used, by "
"anybody, and 'unused' how much left the page cache without that; of the rest it is "
"not known yet, or cannot be told (unseen). Both are told where they happen in the "
"interval, whenever it was read.\n"
"\n"
"With --json, --csv or --raw on standard output, COMMAND's standard output goes "
"to standard error, so that the report stays clean. Bytes of names that are not "
"printable UTF-8, and backslashes, are written \\xNN in every format.\n"
"\n"
"Beyond the schema's members, --json has of each origin issuer_comm, issuer_pid, "
"container, unknown (why there is no name) and in each time's object hist (buckets and counts, "
"so that a saved report can be grouped again), and for all of it bases (bytes for "
"each basis), cancelled_bytes, readahead (of each origin, too: used_bytes, "
"unused_bytes and unseen_bytes; null where that was not asked for), written (of each origin, with "
"--amplification: dirtied_bytes, data_bytes, metadata_bytes, journal_bytes, other_bytes and ratio), filtered, omitted, stats (the module's counters) and "
"notes. Times are CLOCK_BOOTTIME, as start_time is.\n"
"\n"
"--dev, --pid, --tgid, --cgroup and --op filter in the module, --comm in the "
"program; what they leave out is shown as 'filtered out'. COMMAND's own exit "
"status is told on standard error and does not change that of ioblame.",
		.examples =
"ioblame report -- make install\n"
"ioblame report -d 10 --by comm,file --top 20\n"
"ioblame report -d 60 --tree --by cgroup,comm,file\n"
"ioblame report --amplification --by comm -- ./job\n"
"ioblame report --json -o before.json -- ./job\n"
"ioblame report -i before.json --by cgroup,reason",
	},
	{
		.name = "record", .bit = CMD_RECORD, .runs = true,
		.ops = &record_ops,
		.usage = "[OPTIONS] [-d SECONDS | -- COMMAND...]",
		.summary = "write every IO and what names it into a file",
		.text =
"Reads the module's trace events through a tracefs instance of its own and writes "
"them to a file (ioblame.data unless told), with the events' formats, what is "
"mounted where, and the module's tables in the end. The file can be read on any "
"machine of the same byte order by 'ioblame report -i' and 'ioblame script -i'. "
"Every second what came is written and sent to the disk, so that no more than that "
"is lost should the power go.\n"
"\n"
"With --max-size or --max-age the recording goes on in another file: FILE is the "
"newest, FILE.1 the one before it, up to --keep files; also what FILE held before "
"becomes FILE.1. Each is whole, with the module's tables at its start and at its end, "
"and is read by itself; every event is in one of them, and their reports add up. "
"Sizes are looked at when something was written: a file grows past --max-size by "
"at most a second's events and the tables at its end.\n"
"\n"
"On a terminal a line on standard error tells how far it is.\n"
"\n"
"The file is made of chunks with a checksum each: one that was cut off or damaged "
"is read up to there, and the rest is said to be missing. Without the tables at "
"its end a report is made from the events. Events for which the ring buffer had "
"no room are counted and told. Chunks are packed with zstd unless told by --compress; "
"a program that is too old for that says so.\n"
"\n"
"The IO of the recorder itself is recorded, too. Reading leaves it out and says how "
"much it is; --self shows it. An IO that is in part another's is never left out.",
		.examples =
"ioblame record -o build.data -- make\n"
"ioblame record -o /var/log/io.data --max-size 100M --keep 20\n"
"ioblame report -i build.data --by comm",
	},
	{
		.name = "script", .bit = CMD_SCRIPT, .runs = true,
		.ops = &script_ops,
		.usage = "[OPTIONS] [-i FILE | -d SECONDS | -- COMMAND...]",
		.summary = "one line for each IO as it completes",
		.text =
"One line for each completed IO: time (seconds since boot), disk, operation, bytes, "
"sector, flags, who submitted it, times in queue and in the device, age of the "
"oldest data, and behind '<-' its origins: task[pid], file, bytes, basis and reason. "
"The bytes of the origins add up to the bytes of the IO.\n"
"\n"
"With --json, one object a line: ts_ns, dev, devname, sector, bytes, op, flags, "
"issuer, origins, queue_ns, device_ns, dirty_age_ns, id, parent (the id of the IO of "
"the device above that this one is part of; null: none). Without --input the events come live; what the ring buffer had no room "
"for is counted and told in the end.",
		.examples =
"ioblame script -d 5 --dev vdb\n"
"ioblame script -i build.data --json | jq 'select(.bytes > 1000000)'",
	},
	{
		.name = "stacks", .bit = CMD_STACKS, .runs = true,
		.ops = &report_ops, .writer = &iob_stacks_writer,
		.usage = "[OPTIONS] [-i FILE | -d SECONDS | -- COMMAND...]",
		.summary = "the call paths that most IO comes through",
		.text =
"The first line for each operation says which call path most of its bytes, or of "
"another --metric, come through, and from whom. After the first lines of a report "
"each call path follows, most first: how much, which share of the operation, who (three "
"at most, with their shares), and the frames that tell it from others; with --stacks "
"all its frames, innermost first, those that tell marked with '>'.\n"
"\n"
"Watches and reads as 'ioblame report' does, see ioblame-report(1). Shares are of what "
"the filters let through. ios count as in a report: an IO of two origins counts for "
"both. What a stacked disk (dm, md, loop) was given counts on the disk below, unless "
"told --dev. device-time and queue-time add up how long IOs took, each, shared among "
"their origins as their bytes are: of IOs that run at once each counts.",
		.examples =
"ioblame stacks -- make install\n"
"ioblame stacks -i build.data --metric ios --top 5 --stacks",
	},
	{
		.name = "export", .bit = CMD_EXPORT, .runs = true,
		.ops = &report_ops,
		.usage = "--format FORMAT [OPTIONS] [-i FILE | -d SECONDS | -- COMMAND...]",
		.summary = "the same for other programs: flame graphs, metrics, rows",
		.text =
"Watches and reads as 'ioblame report' does, see ioblame-report(1), and writes the "
"same rows in a FORMAT that other programs read. Their bytes add up to those of the "
"report. A file named by --output is there whole or not at all.\n"
"\n"
"folded: a line for each call path, 'task;outermost;...;innermost N', as flamegraph.pl "
"reads it; svg: a flame graph for any browser, in one file, with search and zoom; "
"speedscope: the file format of that viewer; pprof: a compressed profile.proto. These "
"add one --metric up, count what a stacked disk (dm, md, loop) was given on the disk below unless told --dev, and "
"have functions without the place in them. speedscope and pprof have the other metrics, "
"too, and pprof labels: comm, pid, dev, op, file, kind, reason, basis.\n"
"\n"
"perfetto: each IO in time, by disk, in the JSON that ui.perfetto.dev opens: from "
"queueing to completion, within that the time in the device, with all that 'script "
"--json' has of it. It needs a recording, or to watch; totals do not have single IOs.\n"
"\n"
"csv: as 'report --csv'; jsonl: one object a line for each origin as in 'report --json', "
"with its stack as frames; openmetrics: the counters ioblame_bytes_total, "
"ioblame_ios_total, ioblame_cancelled_bytes_total and ioblame_lost_total. These have the "
"rows of stacked disks, too, each with its dev.\n"
"\n"
"Bytes of names that are not printable UTF-8, and backslashes, are written \\xNN, as in "
"a report; so is what the format itself would take for an end. A task without a name "
"is [preexisting], [lost], [stale] or [folded], for the reason; [no stack] stands where "
"there is none. Detail that was lost is told on standard error.",
		.examples =
"ioblame export --format svg -o build.svg -- make\n"
"ioblame export --format folded -i build.data --op write | flamegraph.pl > build.svg\n"
"ioblame export --format openmetrics -d 60 -o /run/ioblame.prom",
	},
	{
		.name = "top", .bit = CMD_TOP, .ops = &top_ops,
		.usage = "[OPTIONS]",
		.summary = "who is writing what right now, on a full screen",
		.text =
"Reads the module's totals every --interval seconds and shows what happened in "
"between, a row for each process: bytes and IOs a second, share of the bytes, its "
"busiest file and most frequent reason (+N: and N more), the age of its data when "
"written (age p50), time in the device (dev p99), and its last 16 intervals, each "
"row on a scale of its own. A row that was silent for as long is left out.\n"
"\n"
"The lines above say what each disk does, what detail was lost (since the start), "
"what is not attributed, and which share is attributed on which basis. What was "
"dirtied counts when it reaches the disk, whoever sends it there.\n"
"\n"
"Keys: the arrows, PgUp, PgDn, Home and End select a row, which stays selected "
"wherever it moves. Enter or Right shows only what is in it, by the next of disk, "
"process, file and stack; Backspace or Left goes back; Tab shows the same by the "
"next of them. '<' and '>' (or 's', or a digit for the n-th column) choose what rows "
"are sorted by, 'r' reverses. '/' filters as you type: only what has the text "
"in its task, pid, file, disk, stack, operation, reason, basis, kind, cgroup or issuer counts; "
"Enter keeps the filter, Esc drops it. 'p' or space pauses, 'c' shows sums since the start "
"instead of rates, 'h' or '?' helps, 'q' quits. Columns for which there is no room are "
"left out.\n"
"\n"
"Without a terminal on standard output, or with --batch, each interval is written as "
"plain text, uncut, with an empty line behind it. Colour is not used if NO_COLOR is "
"set; what is no ASCII is escaped unless the locale is UTF-8. A terminal that cannot place "
"its cursor is refused.\n"
"\n"
"Tracing is enabled while it runs, and all that was changed is put back in the end. "
"If somebody resets the module meanwhile, sums begin there.",
		.examples =
"ioblame top\n"
"ioblame top -d 5 --dev vdb --op write --sort device\n"
"ioblame top --batch -n 12 -d 5 --top 10 >>io.log",
	},
	{
		.name = "watch", .bit = CMD_WATCH, .ops = &watch_ops,
		.usage = "[OPTIONS]",
		.summary = "always on: store sums, save what led to trouble, feed a fleet",
		.text =
"Reads the module's totals every --interval and adds what happened to a store, from "
"which 'ioblame history' answers: by second for 15 minutes, by minute for 6 hours, by hour "
"as long as there is room. When --store-size is reached, old hours lose pids, files, cgroups and "
"stacks, then go; both are counted. While the store cannot be written (a full disk) no "
"reading is taken: the next one has all that happened meanwhile. A store that is "
"damaged is put aside as FILE.damaged.\n"
"\n"
"Remembers the IOs of the last seconds. When a trigger fires they are saved, together "
"with those of the --after seconds that follow, as a recording for 'ioblame script -i' and "
"'ioblame report -i', named by time and trigger. io-latency: an IO was longer than TIME in queue and device. "
"fsync-latency: so was an IO made because of an fsync or sync; that is the time of one IO, not "
"of the whole call. writes: in one --interval the tasks named COMM caused more than SIZE of "
"writes that reached a disk. psi: some or all tasks were stalled on IO for TIME within WINDOW, on the machine or in a "
"cgroup, named by its absolute directory, as the kernel tells (see its documentation of PSI). "
"SIGUSR1 always saves.\n"
"\n"
"With --push, profiles go to a Pyroscope server (POST URL/ingest, pprof): one for each "
"device, cgroup and comm, with these, host and kernel as labels, and with bytes, ios and the times in device and "
"queue of what happened since the one before. The times come from the events: there are none with --no-flight, or where events were lost. They wait in the store until the server has taken them; at most a "
"quarter of --store-size does, then the oldest are dropped and counted. A server that is away "
"is tried again after 0.5 s to 60 s, and never stalls the rest. If it "
"dies between taking a profile and saying so, that one is sent twice, with the same X-Ioblame-Profile. "
"With --listen, "
"OpenMetrics without pids and files are served, with counters of how watching itself goes.\n"
"\n"
"Only one ioblame at a time uses the module: stop the watching (systemctl stop ioblame) "
"for others but history.",
		.examples =
"ioblame watch --trigger io-latency:500ms --trigger psi:some:300ms:2s\n"
"ioblame watch --push http://pyroscope:4040 --listen 9750\n"
"systemctl enable --now ioblame",
	},
	{
		.name = "history", .bit = CMD_HISTORY,
		.ops = &report_ops, .writer = &iob_table_writer,
		.usage = "[--since TIME] [--until TIME] [OPTIONS]",
		.summary = "the same of hours ago, from what watch has stored",
		.text =
"Answers from the store that 'ioblame watch' writes, also while that runs, as 'ioblame "
"report' does, see ioblame-report(1). The store has seconds of the latest time, minutes of "
"what is older, and hours before that: what was asked for in part of such a piece counts "
"whole, and a note says so. It does not keep threads and issuers.\n"
"\n"
"The interval, and start_ns and end_ns of --json, are of the clock on the wall (nanoseconds "
"since 1970): from the first to the last of what the store has of the time that was "
"asked for. A note says how much of it was watched. Where a store has "
"become full, the oldest hours have lost pids, cgroups, files and stacks ('*' stands there), or are gone; that is "
"counted and said.",
		.examples =
"ioblame history --since 2h --by comm,file --top 10\n"
"ioblame history --since '2026-01-31 03:00' --until '2026-01-31 04:00' --json",
	},
	{
		.name = "diff", .bit = CMD_DIFF, .nr_files = 2,
		.ops = &diff_ops, .writer = &iob_table_writer,
		.usage = "[OPTIONS] A B",
		.summary = "what changed between two reports or recordings",
		.text =
"A and B are files: reports saved with 'ioblame report --json' (without --by, which "
"leaves out what it does not ask for), or recordings; also one of each. The first "
"lines say for each disk and operation how much more or less B has, and whose that is; "
"then what each side is, with what it has lost or not attributed. A row for each key "
"follows, the greatest change first: the change, what it is of A's value, A's value and "
"B's. 'new' is what A has none of, 'gone' what B has none of. What did not change is "
"counted below the table; --json and --csv have it as rows.\n"
"\n"
"By default the values are totals. --scale second divides each by the seconds that its "
"side was watched, --scale share by all that its side has, in percent (a change is then "
"one of percentage points). --json and --csv have all three; --scale says by which they are "
"sorted and by which a row is 'more', 'less' or 'same'.\n"
"\n"
"KEYS are those of 'ioblame report', and dev, op, comm and file unless told. Numbers "
"that two machines or two boots do not share give way to names: disks are the same if "
"their names are, files if their paths are, cgroups likewise, and call paths if their "
"functions are, whatever the places in them. pids are compared as they are. What "
"a stacked disk (dm, md, loop) was given counts on the disk below, unless told --dev or "
"--by dev.\n"
"\n"
"--format folded writes a line for each call path with two numbers, A's and B's, as "
"flamegraph.pl reads them. --format svg draws B's flame graph (or A's, see --width): "
"all red is new or, in A's, all blue gone, white did not change; what only the other side has "
"is not drawn, and said above the graph.\n"
"\n"
"The exit status is 0 whether or not there is a difference.",
		.examples =
"ioblame report --json -o before.json -- ./job\n"
"ioblame report --json -o after.json -- ./job --new-setting\n"
"ioblame diff before.json after.json\n"
"ioblame diff monday.data tuesday.data --scale second --by comm,reason --top 20\n"
"ioblame diff before.json after.json --format svg -o change.svg",
	},
	{
		.name = "check", .bit = CMD_CHECK, .ops = &check_ops,
		.usage = "[--load FILE]", .summary = "whether everything tracing needs is there",
		.text =
"Looks at what tracing needs: root, debugfs, tracefs, lockdown, the module and its "
"ABI, BTF, and each hook. If nobody is tracing, tracing is enabled for a moment to "
"see which hooks attach. For a hook that is missing it says what will not be seen. "
"Exit status 0 if all that is required is there, else 1.",
	},
	{
		.name = "version", .bit = CMD_VERSION, .ops = &version_ops,
		.usage = "", .summary = "version of the program and of the ABI",
		.text =
"Prints the version of the program, and the number of the module's ABI that it "
"understands. A module of another number is refused.",
	},
	{}
};

/**
 * command_find - a command by its name
 * @name: the name
 *
 * Return: the command, or NULL.
 */
const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/**
 * command_unknown - say what somebody may have meant
 * @name: what they wrote
 * @err: error text
 *
 * Return: -EINVAL.
 */
int command_unknown(const char *name, struct iob_err *err)
{
	const char *names[32];
	size_t nr = 0;

	for (const struct command *c = commands; c->name && nr < 32; c++)
		names[nr++] = c->name;
	return iob_unknown(err, "command", name, names, nr,
			   "see 'ioblame --help'");
}
