// SPDX-License-Identifier: GPL-2.0
/*
 * Flows from all sides at once: each worker submits and completes bios of its own,
 * and meanwhile looks at others' and changes them. Whatever is seen is one flow.
 */
#include "../../core/flows.h"
#include "../kunit_env.h"

enum {
	NR_WORKERS	= 4,
	BIOS		= 160,		/* each; half of them are more than there are berths */
	ROUNDS		= 30000,
	ROOM		= 1024,
};

struct worker {
	struct iob_flows *flows;
	pthread_t thread;
	u32 number;
	u64 seed;
	bool in_flight[BIOS];
	u32 torn;			/* flows seen that nobody has written */
	u32 missed;			/* bios of its own that were not as they must be */
	u32 seen, changed;
};

static u64 bio(u32 worker, u32 n)
{
	return 0xffff888000000000ull + (worker * BIOS + n) * 192ull;
}

/* All of a flow tells of one number, and of whose it is. */
static void fill(struct iob_flow *flow, u64 owner, u64 number)
{
	*flow = (struct iob_flow){
		.issuer = owner, .origin = owner, .id = number,
		.up = number, .queue_ns = number, .sector = number,
	};
}

static bool is_whole(const struct iob_flow *flow, u64 owner)
{
	return flow->issuer == owner && flow->origin == owner &&
	       flow->up == flow->id && flow->queue_ns == flow->id &&
	       flow->sector == flow->id;
}

static void change(void *value, const void *arg)
{
	struct iob_flow *flow = value;

	fill(flow, flow->issuer, *(const u64 *)arg);
}

static void submit(struct worker *w, u32 n, u64 number)
{
	u64 address = bio(w->number, n);
	struct iob_flow spare, *flow;

	flow = iob_flows_open(w->flows, address, &spare);
	fill(flow, address, number);
	iob_flows_publish(w->flows, address, flow);
	w->in_flight[n] = true;
}

static void complete(struct worker *w, u32 n)
{
	u64 address = bio(w->number, n);
	struct iob_flow spare, *flow;

	flow = iob_flows_claim(w->flows, address, &spare);
	if (!flow != !w->in_flight[n])
		w->missed++;
	w->in_flight[n] = false;
	if (!flow)
		return;
	if (!is_whole(flow, (u32)address))
		w->torn++;
	iob_flows_release(w->flows, flow);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct iob_flow flow;
	u64 address;
	u32 i, n;

	iob_shim_cpu = w->number;
	for (i = 1; i <= ROUNDS; i++) {
		n = iob_test_below(&w->seed, BIOS);
		if (iob_test_below(&w->seed, 2))
			submit(w, n, i);
		else
			complete(w, n);
		address = bio(iob_test_below(&w->seed, NR_WORKERS),
			      iob_test_below(&w->seed, BIOS));
		if (iob_test_below(&w->seed, 4)) {
			if (!iob_flows_lookup(w->flows, address, &flow))
				continue;
			w->seen++;
			w->torn += !is_whole(&flow, (u32)address);
		} else {
			w->changed += iob_flows_update(w->flows, address, change,
						       &(const u64){ i });
		}
	}
	for (n = 0; n < BIOS; n++)
		complete(w, n);
	return NULL;
}

static void note(void *ctx, const void *value)
{
	const struct iob_flow *flow = value;
	u32 *foreign = ctx;

	/* a number that was written, or none yet */
	*foreign += flow->issuer % 64;
}

static void one_flow_is_seen(struct kunit *test)
{
	struct iob_counters counters = { };
	struct iob_flows flows;
	struct worker worker[NR_WORKERS] = { };
	u32 i, foreign = 0;

	KUNIT_ASSERT_EQ(test, iob_counters_init(&counters), 0);
	KUNIT_ASSERT_EQ(test, iob_flows_init(&flows, &counters, ROOM), 0);
	for (i = 0; i < NR_WORKERS; i++) {
		worker[i].flows = &flows;
		worker[i].number = i;
		worker[i].seed = i + 1;
		KUNIT_ASSERT_EQ(test, pthread_create(&worker[i].thread, NULL,
						     work, &worker[i]), 0);
	}
	iob_shim_cpu = NR_WORKERS;
	for (i = 0; i < 100; i++)
		iob_flows_for_each(&flows, note, &foreign);
	for (i = 0; i < NR_WORKERS; i++) {
		pthread_join(worker[i].thread, NULL);
		KUNIT_EXPECT_EQ(test, worker[i].torn, 0u);
		KUNIT_EXPECT_EQ(test, worker[i].missed, 0u);
		KUNIT_EXPECT_GT(test, worker[i].seen, 0u);
		KUNIT_EXPECT_GT(test, worker[i].changed, 0u);
	}
	iob_shim_cpu = 0;
	KUNIT_EXPECT_EQ(test, foreign, 0u);
	KUNIT_EXPECT_TRUE(test, flows.is_crowded);
	KUNIT_EXPECT_EQ(test, iob_flows_nr(&flows), 0u);
	KUNIT_EXPECT_EQ(test, iob_counters_read(&counters, IOB_CNT_LOST_FLOWS),
			0ull);
	iob_flows_exit(&flows);
	iob_counters_exit(&counters);
}

static struct kunit_case flows_stress_cases[] = {
	KUNIT_CASE(one_flow_is_seen),
	{}
};

static struct kunit_suite flows_stress_suite = {
	.name = "ioblame_flows_stress",
	.test_cases = flows_stress_cases,
};

kunit_test_suites(&flows_stress_suite);
