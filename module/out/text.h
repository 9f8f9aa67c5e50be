/* SPDX-License-Identifier: GPL-2.0 */
/* Text: how numbers, names and words look in debugfs. */
#ifndef IOB_OUT_TEXT_H
#define IOB_OUT_TEXT_H

#include <linux/seq_file.h>

#include "../core/hist.h"

extern const char * const iob_role_flag_words[];
extern const char * const iob_file_flag_words[];

const char *iob_op_word(u32 op);
const char *iob_kind_word(u32 kind);
const char *iob_basis_word(u32 basis);
const char *iob_reason_word(u32 reason);
const char *iob_reserved_act_word(u32 act);
int iob_op_of_word(const char *word);

void iob_text_name(struct seq_file *m, const char *name, size_t size);
void iob_text_flags(struct seq_file *m, u32 flags, const char * const *words,
		    u32 nr);
void iob_text_hist(struct seq_file *m, const struct iob_hist *hist);

#endif /* IOB_OUT_TEXT_H */
