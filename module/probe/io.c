// SPDX-License-Identifier: GPL-2.0
/* A completed IO, however its driver works. */
#include "../out/events.h"
#include "io.h"

/**
 * iob_io_finish() - All origins are gathered: add up and tell
 * @io:    the IO
 * @flags: bits of IOB_IO_FLAGS
 *
 * Context: probe.
 */
void iob_io_finish(struct iob_io *io, u16 flags)
{
	if (iob_charge_end(&iob_state, io, flags))
		iob_event_io(io);
}
