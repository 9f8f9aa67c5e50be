/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The one header shared by ioblame.ko and its tools: numbers and the words
 * they are printed as. Every list is written once, as an X-macro, so that the
 * module, libioblame and the tests cannot disagree about a name.
 *
 * Numbers here travel in trace events and recordings. They are only ever
 * appended to; a change of meaning raises IOB_ABI.
 */
#ifndef _UAPI_IOBLAME_H
#define _UAPI_IOBLAME_H

/* Version of the debugfs formats and trace events, see Documentation/abi.rst */
#define IOB_ABI			1

#define IOB_COMM_LEN		16	/* as TASK_COMM_LEN */
#define IOB_PATH_LEN		192	/* file and cgroup paths, with the NUL */
#define IOB_STACK_DEPTH		32	/* frames kept of a stack */
#define IOB_EVENT_ORIGINS	16	/* origins inline in one ioblame_io event */
#define IOB_HIST_BUCKETS	40	/* log2 buckets; bucket 0 is < 1 us */

/*
 * An id is an index and a generation, so that an id whose object was recycled
 * resolves to nothing rather than to a stranger. 28 bits in all: an act id
 * shares a 64-bit page slot with a state, a reason and a time.
 */
#define IOB_ID_INDEX_BITS	20
#define IOB_ID_GEN_BITS		8
#define IOB_ID_BITS		(IOB_ID_INDEX_BITS + IOB_ID_GEN_BITS)
#define IOB_ID_INDEX(id)	((id) & ((1u << IOB_ID_INDEX_BITS) - 1))
#define IOB_ID_GEN(id)		((id) >> IOB_ID_INDEX_BITS)
#define IOB_ID(index, gen)	\
	(((unsigned int)(gen) << IOB_ID_INDEX_BITS) | (unsigned int)(index))

/* Acts that are not somebody's: "unknown" always has one of these names. */
#define IOB_RESERVED_ACTS(X)						\
	X(NONE,		"none")		/* no act at all */		\
	X(LOST,		"lost")		/* a table was full */		\
	X(NESTED,	"nested")	/* dirtied inside our own probe */ \
	X(PREEXISTING,	"preexisting")	/* dirty before tracing began */ \
	X(FILTERED,	"filtered")	/* known, but not asked for */	\
	X(STALE,	"stale")	/* its act was recycled */	\
	X(FOLDED,	"folded")	/* totals full, detail given up */

/* Operations are the kernel's own statistics groups, so that sums compare. */
#define IOB_OPS(X)							\
	X(READ,		"read")						\
	X(WRITE,	"write")					\
	X(DISCARD,	"discard")					\
	X(FLUSH,	"flush")

/* What an act changed or asked for. */
#define IOB_KINDS(X)							\
	X(UNKNOWN,	"unknown")					\
	X(DATA,		"data")						\
	X(INODE,	"inode")					\
	X(METADATA,	"metadata")					\
	X(JOURNAL,	"journal")					\
	X(DIRECT,	"direct")					\
	X(READ,		"read")						\
	X(SWAP,		"swap")						\
	X(FLUSH,	"flush")					\
	X(DISCARD,	"discard")					\
	X(ZEROES,	"zeroes")	/* write-zeroes, no data sent */ \
	X(ZONE,		"zone")		/* zone management */		\
	X(PARITY,	"parity")	/* of RAID, and reads for it */	\
	X(RESYNC,	"resync")	/* RAID made whole, checked */	\
	X(COPY,		"copy")		/* a device moves data */

/* How an origin was found, Documentation/overview.rst says what each means. */
#define IOB_BASES(X)							\
	X(ISSUER,	"issuer")					\
	X(PAGE,		"page")						\
	X(DIRECT,	"direct")					\
	X(BLOCK,	"block")					\
	X(TRANSACTION,	"transaction")					\
	X(BATCH,	"batch")					\
	X(INHERITED,	"inherited")					\
	X(EPOCH,	"epoch")					\
	X(MEMCG,	"memcg")

/* Why the IO was made at that moment. At most 16: 4 bits in a page slot. */
#define IOB_REASONS(X)							\
	X(NONE,		"none")						\
	X(BACKGROUND,	"background")					\
	X(PERIODIC,	"periodic")					\
	X(SYNC,		"sync")						\
	X(FSYNC,	"fsync")					\
	X(RECLAIM,	"reclaim")					\
	X(FREE_SPACE,	"free-space")					\
	X(FOREIGN,	"foreign-flush")				\
	X(LAPTOP,	"laptop")					\
	X(FORKER,	"forker")					\
	X(DONTCACHE,	"dontcache")					\
	X(DIRECT,	"direct")					\
	X(UNMOUNT,	"unmount")					\
	X(READAHEAD,	"readahead")	/* a read, ahead of who asks */

/* What becomes of bytes that were read; of others it is not known yet. */
#define IOB_READ_ENDS(X)						\
	X(USED,		"used")						\
	X(UNUSED,	"unused")	/* left the page cache before */ \
	X(UNSEEN,	"unseen")	/* cannot be told */

/* Flags of one IO, in ioblame_io. */
#define IOB_IO_FLAGS(X)							\
	X(SYNC,		"sync")						\
	X(META,		"meta")						\
	X(PREFLUSH,	"preflush")					\
	X(FUA,		"fua")						\
	X(RAHEAD,	"rahead")					\
	X(BACKGROUND,	"background")					\
	X(PARTIAL,	"partial")	/* more of the same request follows */ \
	X(ERROR,	"error")	/* completed with an error */

/* Flags of a role. */
#define IOB_ROLE_FLAGS(X)						\
	X(KTHREAD,	"kthread")					\
	X(WORKER,	"worker")	/* a kworker */			\
	X(IO_WORKER,	"io-worker")	/* iou-wrk, iou-sqp */		\
	X(MERGED,	"merged")	/* all of that name, or cgroup */

/* Flags of a file. */
#define IOB_FILE_FLAGS(X)						\
	X(DELETED,	"deleted")	/* had no name when last looked at */ \
	X(CUT,		"cut")		/* path longer than IOB_PATH_LEN */

#define IOB_ENUM_ACT(name, word)	IOB_ACT_##name,
#define IOB_ENUM_OP(name, word)		IOB_OP_##name,
#define IOB_ENUM_KIND(name, word)	IOB_KIND_##name,
#define IOB_ENUM_BASIS(name, word)	IOB_BASIS_##name,
#define IOB_ENUM_REASON(name, word)	IOB_REASON_##name,
#define IOB_ENUM_READ(name, word)	IOB_READ_##name,
#define IOB_ENUM_IO_BIT(name, word)	IOB_IO_BIT_##name,
#define IOB_ENUM_ROLE_BIT(name, word)	IOB_ROLE_BIT_##name,
#define IOB_ENUM_FILE_BIT(name, word)	IOB_FILE_BIT_##name,
#define IOB_ENUM_WORD(name, word)	word,

enum iob_reserved_act { IOB_RESERVED_ACTS(IOB_ENUM_ACT) IOB_NR_RESERVED_ACTS };
enum iob_op { IOB_OPS(IOB_ENUM_OP) IOB_NR_OPS };
enum iob_kind { IOB_KINDS(IOB_ENUM_KIND) IOB_NR_KINDS };
enum iob_basis { IOB_BASES(IOB_ENUM_BASIS) IOB_NR_BASES };
enum iob_reason { IOB_REASONS(IOB_ENUM_REASON) IOB_NR_REASONS };
enum iob_read_end { IOB_READ_ENDS(IOB_ENUM_READ) IOB_NR_READ_ENDS };
enum iob_io_bit { IOB_IO_FLAGS(IOB_ENUM_IO_BIT) IOB_NR_IO_BITS };
enum iob_role_bit { IOB_ROLE_FLAGS(IOB_ENUM_ROLE_BIT) IOB_NR_ROLE_BITS };
enum iob_file_bit { IOB_FILE_FLAGS(IOB_ENUM_FILE_BIT) IOB_NR_FILE_BITS };

/* A device number in every text file and event: major << 20 | minor. */
#define IOB_DEV_MAJOR(dev)	((dev) >> 20)
#define IOB_DEV_MINOR(dev)	((dev) & 0xfffff)

#endif /* _UAPI_IOBLAME_H */
