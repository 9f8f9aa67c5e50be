// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of what was read into the page cache: used, or dropped before
 * (page.c). By pages, also inside large folios. Attached only if that is asked
 * for: these functions run at every use of the page cache.
 *
 * A fault maps the pages around the one it is for, too. Nothing tells whether they
 * are used then, so of these it cannot be seen.
 */
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/swap.h>
#include <linux/uio.h>

#include "../compat/fault.h"
#include "../compat/ftrace.h"
#include "../fs/fs.h"
#include "probe.h"

/* Most pages were used before: that is found out first, and costs little. */
static bool is_waiting(u64 pfn, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (iob_pages_is_read(&iob_state.pages, pfn + i))
			return true;
	return false;
}

/* @nr pages from @page on, which the caller keeps, and of one folio, come to @end. */
static void come_to(struct iob_hook *hook, struct page *page, u32 nr,
		    enum iob_read_end end)
{
	const struct inode *inode;
	struct iob_file_key key;
	u64 pfn = page_to_pfn(page);
	int level;

	if (!is_waiting(pfn, nr))
		return;
	level = iob_enter(hook);
	if (level < 0)
		return;
	inode = iob_fs_owner(page_folio(page));
	if (inode) {
		memset(&key, 0, sizeof(key));
		iob_fs_file_key(inode, &key);
		iob_charge_read_end(&iob_state, pfn, nr, &key, end);
	}
	iob_exit(level);
}

/* The pages of a folio that are in a span, and not of another file by now. */
static void use_folio(struct iob_hook *hook, struct folio *folio,
		      struct iob_span *span)
{
	span->first = max_t(u64, span->first, folio->index);
	span->end = min_t(u64, span->end, folio->index + folio_nr_pages(folio));
	if (span->first < span->end)
		come_to(hook, folio_page(folio, span->first - folio->index),
			span->end - span->first, IOB_READ_USED);
}

/*
 * filemap_read(iocb, iter, already_read): read(2), in its many forms, begins. The
 * kernel marks each folio as it copies from it, but not the one in which the last
 * read of the same open file has ended: that one is there already.
 */
static void on_read(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct kiocb *iocb = (void *)ftrace_regs_get_argument(fregs, 0);
	const struct iov_iter *iter = (void *)ftrace_regs_get_argument(fregs, 1);
	struct address_space *mapping = iocb->ki_filp->f_mapping;
	struct iob_span span = {
		.pid = current->pid,
		.file = (unsigned long)mapping,
		.first = iocb->ki_pos >> PAGE_SHIFT,
		.end = DIV_ROUND_UP_ULL(iocb->ki_pos + iov_iter_count(iter),
					PAGE_SIZE),
	};
	struct folio *folio;

	if (!iov_iter_count(iter))
		return;
	iob_spans_set(&iob_state.reads, &span);
	rcu_read_lock();
	folio = xa_load(&mapping->i_pages, span.first);
	if (folio && !xa_is_value(folio) && READ_ONCE(folio->mapping) == mapping)
		use_folio(hook, folio, &span);
	rcu_read_unlock();
}

/* folio_mark_accessed(folio): from within that, before it is copied */
static void on_accessed(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct folio *folio = (void *)ftrace_regs_get_argument(fregs, 0);
	struct iob_span span = {
		.pid = current->pid,
		.file = (unsigned long)READ_ONCE(folio->mapping),
		.first = folio->index,
		.end = folio->index + folio_nr_pages(folio),
	};

	if (in_task() && iob_spans_cut(&iob_state.reads, &span))
		use_folio(hook, folio, &span);
}

#ifdef IOB_HAVE_FILEMAP_SPLICE
/*
 * splice_folio_into_pipe(pipe, folio, pos, size), mm/filemap.c: by splice(2) and
 * sendfile(2), as far as the folio goes
 */
static void on_splice(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct folio *folio = (void *)ftrace_regs_get_argument(fregs, 1);
	u64 pos = ftrace_regs_get_argument(fregs, 2);
	struct iob_span span = {
		.first = pos >> PAGE_SHIFT,
		.end = DIV_ROUND_UP_ULL(pos + ftrace_regs_get_argument(fregs, 3),
					PAGE_SIZE),
	};

	use_folio(hook, folio, &span);
}
#endif

/* finish_fault(vmf): of the page that is asked for, also if it is copied then */
static void on_fault(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	const struct vm_fault *vmf =
		(void *)ftrace_regs_get_argument(fregs, 0);

	if (vmf->page)
		come_to(hook, vmf->page, 1, IOB_READ_USED);
}

/* One page is asked for; the others are around it. */
static void on_map(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct iob_mapping_in m;
	u64 asked;

	iob_mapping_in(fregs, &m);
	asked = (m.vmf->address - m.addr) >> PAGE_SHIFT;
	if (m.vmf->address >= m.addr && asked < m.nr)
		come_to(hook, m.page + asked, 1, IOB_READ_USED);
	come_to(hook, m.page, m.nr, IOB_READ_UNSEEN);
}

/*
 * do_set_pmd(vmf, page), later (vmf, folio, page): a huge folio at once, if it is
 * one
 */
static void on_map_huge(struct iob_hook *hook, struct ftrace_regs *fregs)
{
	struct folio *folio =
		page_folio((struct page *)ftrace_regs_get_argument(fregs, 1));

	if (folio_order(folio) == HPAGE_PMD_ORDER)
		come_to(hook, &folio->page, folio_nr_pages(folio),
			IOB_READ_UNSEEN);
}

#define MISSING	"which part of what is read is used"

static struct iob_hook hooks[] = {
	IOB_FUNCTION(filemap_read,
		     ((struct kiocb *)NULL, (struct iov_iter *)NULL, 0),
		     on_read, IOB_OPTIONAL, MISSING),
	IOB_FUNCTION(folio_mark_accessed, ((struct folio *)NULL), on_accessed,
		     IOB_OPTIONAL, MISSING),
#ifdef IOB_HAVE_FILEMAP_SPLICE
	IOB_PRIVATE_FUNCTION(NULL, splice_folio_into_pipe, on_splice,
			     MISSING " by splice and sendfile"),
#endif
	IOB_FUNCTION(finish_fault, ((struct vm_fault *)NULL), on_fault,
		     IOB_OPTIONAL, MISSING " by mappings"),
	IOB_SET_PTE(on_map, IOB_OPTIONAL, MISSING " by mappings"),
	IOB_PRIVATE_FUNCTION(NULL, do_set_pmd, on_map_huge,
			     MISSING " by huge mappings"),
};

const struct iob_hook_table iob_used_hooks = IOB_HOOK_TABLE(hooks);
