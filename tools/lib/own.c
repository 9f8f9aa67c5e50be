// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <string.h>

#include "aggregate.h"
#include "own.h"
#include "text.h"

/**
 * iob_own_of - who made a recording
 * @own: takes it
 * @rec: the recording
 */
void iob_own_of(struct iob_own *own, const struct iob_recording *rec)
{
	const char *comm = iob_recording_info(rec, "recorder_comm");

	own->pid = iob_recording_number(rec, "recorder_pid");
	*own->comm = '\0';
	if (comm)
		iob_field_unescape((struct iob_field){ comm, strlen(comm) },
				   own->comm, sizeof(own->comm));
}

/**
 * iob_own_is - whether a task is the recorder
 * @own: who recorded
 * @pid: of the process
 * @comm: its name, or NULL
 *
 * In a pid namespace the recorder knows itself by another number than the
 * module does: the name keeps a stranger from being taken for it.
 *
 * Return: true if it is.
 */
bool iob_own_is(const struct iob_own *own, uint64_t pid, const char *comm)
{
	return own->pid && own->pid == pid &&
	       (!*own->comm || (comm && !strcmp(comm, own->comm)));
}

/**
 * iob_own_io - whether the recorder alone caused an IO
 * @own: who recorded
 * @t: what is known of acts
 * @io: the IO
 *
 * Return: false also for an IO that is in part another's.
 */
bool iob_own_io(const struct iob_own *own, struct iob_tables *t,
		const struct iob_event_io *io)
{
	if (!own->pid || !io->nr_origins || io->more_bytes)
		return false;
	for (int i = 0; i < io->nr_origins && i < IOB_EVENT_ORIGINS; i++) {
		const struct iob_act *a = iob_tables_act(t, io->act[i], false);
		const struct iob_role *r = a && !a->reserved ?
				iob_tables_role(t, a->role, false) : NULL;

		if (!r || !iob_own_is(own, r->tgid, r->comm))
			return false;
	}
	return true;
}

/**
 * iob_own_leave_out - take the recorder's own rows out of a report
 * @own: who recorded
 * @r: the report
 *
 * They count as filtered out, so that the sums still agree with the disks'.
 */
void iob_own_leave_out(const struct iob_own *own, struct iob_report *r)
{
	struct iob_sum sum = {};
	size_t kept = 0;

	for (size_t i = 0; i < r->rows.nr; i++) {
		struct iob_row *row = &r->rows.v[i];

		if (!(row->known & IOB_ROW_BIT(PID)) ||
		    !iob_own_is(own, row->v[IOB_ROW_PID],
				iob_row_text(row, IOB_ROW_COMM))) {
			r->rows.v[kept++] = *row;
			continue;
		}
		sum.bytes += row->bytes;
		sum.ios += row->ios;
		iob_row_free(row);
	}
	if (kept == r->rows.nr)
		return;
	r->rows.nr = kept;
	r->has_filter = true;
	r->filtered.bytes += sum.bytes;
	r->filtered.ios += sum.ios;
	iob_report_settle(r);
	iob_report_note(r, "%" PRIu64 " bytes are the recorder's own (pid %" PRIu64 ") and left out: --self shows them",
			sum.bytes, own->pid);
}
