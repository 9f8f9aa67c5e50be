/* SPDX-License-Identifier: GPL-2.0 */
/* A tracing session for the suites that need more than one table. */
#ifndef IOB_TESTS_FIXTURE_H
#define IOB_TESTS_FIXTURE_H

#include "../core/charge.h"
#include "../core/sweep.h"
#include "kunit_env.h"

#define IOB_TEST_PFNS	4096u
#define IOB_TEST_DISK	(8 << 20)
#define IOB_TEST_FS	(8 << 20 | 1)	/* s_dev of the test's files */

/**
 * struct iob_fixture - a session and the IO that is being completed
 */
struct iob_fixture {
	struct iob_state s;
	struct iob_io io;
};

extern const struct iob_limits iob_test_limits;	/* enough of everything */

struct iob_fixture *iob_fixture_create(struct kunit *test,
				       const struct iob_limits *limits,
				       const struct iob_filter *filter);
void iob_fixture_exit(struct kunit *test);

/**
 * struct iob_pages_test - page slots alone
 */
struct iob_pages_test {
	struct iob_pages pages;
	struct iob_counters counters;
};

/* Pages for 4 chunks less one frame. */
#define IOB_TEST_END_PFN	(4 * IOB_CHUNK_SLOTS - 1)

int iob_pages_test_init(struct kunit *test);
void iob_pages_test_exit(struct kunit *test);
struct iob_pages *iob_pages_test_make(struct kunit *test, u64 end_pfn,
				      u32 nr_chunks);
u64 iob_pages_test_count(struct kunit *test, enum iob_counter which);

/* What is charged of a page that was written, unpacked; false: nothing is known. */
struct iob_page {
	u32 act;
	u8 reason;
	u64 dirtied_ns;
};

bool iob_pages_test_complete(struct iob_pages *p, u64 pfn, u64 now_ns,
			     bool still_dirty, struct iob_page *page);

/* Objects by small numbers; 0 is "not known". Equal numbers, equal ids. */
u32 iob_test_role(struct iob_state *s, u32 number);
u32 iob_test_stack(struct iob_state *s, u32 number);
u32 iob_test_file(struct iob_state *s, u32 number);
u32 iob_test_act(struct iob_state *s, u32 role, u32 stack, u32 file);
u32 iob_test_bare_act(struct iob_state *s, u32 role);	/* no stack, no file */
void iob_test_file_key(u32 number, struct iob_file_key *key);

/* Steps in a page's or bio's life. */
void iob_test_page(struct iob_state *s, struct iob_io *io, u32 file, u64 pfn,
		   u32 bytes, bool still_dirty);
void iob_test_complete(struct iob_fixture *f, u32 file, u64 pfn, u32 nr_pages,
		       bool still_dirty, u64 now_ns);

/* Sums over the totals. */
u64 iob_test_row_bytes(struct iob_state *s, u32 dev, u32 op);
u64 iob_test_act_bytes(struct iob_state *s, u32 act);
u64 iob_test_read_end(struct iob_state *s, enum iob_read_end end);
bool iob_test_find_row(struct iob_state *s, u32 act, u32 issuer,
		       struct iob_total *row);

/* The rows, the device and what is folded agree, for each operation. */
void iob_test_conserved(struct kunit *test, struct iob_fixture *f);

/* A sweep with nobody to wait for. */
u32 iob_test_sweep(struct iob_state *s);

#endif /* IOB_TESTS_FIXTURE_H */
