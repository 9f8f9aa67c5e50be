# SPDX-License-Identifier: GPL-2.0
#
# What this kernel has, asked of its headers rather than of its version.
# $(call iob_have,MACRO,header below include/,pattern): MACRO is defined if the
# pattern stands in the header.
iob_have = $(if $(shell grep -sqE '$(3)' $(srctree)/include/$(2) && echo y),-D$(1))

iob-have := \
	$(call iob_have,IOB_HAVE_BVEC_DONE,linux/bvec.h,bi_bvec_done;) \
	$(call iob_have,IOB_HAVE_PUNT_BIO,linux/bio.h,^void blkcg_punt_bio_submit) \
	$(call iob_have,IOB_HAVE_WB_REASON_LAPTOP,linux/backing-dev-defs.h,WB_REASON_LAPTOP_TIMER) \
	$(call iob_have,IOB_HAVE_WB_REASON_DONTCACHE,linux/backing-dev-defs.h,WB_REASON_DONTCACHE) \
	$(call iob_have,IOB_HAVE_DENTRY_D_U,linux/dcache.h,^[[:space:]]*} d_u;) \
	$(call iob_have,IOB_HAVE_IOMAP_DIRTY_FOLIO,linux/iomap.h,^bool iomap_dirty_folio) \
	$(call iob_have,IOB_HAVE_RW_PAGE,linux/blkdev.h,rw_page) \
	$(call iob_have,IOB_HAVE_IOMAP_ITER_ADVANCE,linux/iomap.h,^int iomap_iter_advance) \
	$(call iob_have,IOB_HAVE_SET_PTE_RANGE,linux/mm.h,^void set_pte_range) \
	$(call iob_have,IOB_HAVE_FILEMAP_SPLICE,linux/fs.h,filemap_splice_read)
