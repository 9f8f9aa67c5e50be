# SPDX-License-Identifier: GPL-2.0
"""What a kernel prints when it has found itself broken."""

import re

# A line of the console, after its time stamp, that begins or names a splat. One a row.
PATTERNS = [
    r"BUG: ",                                   # oops, KASAN, lockups, sleeping while atomic
    r"\[ BUG: ",
    r"kernel BUG at ",
    r"Oops[: ]",
    r"general protection fault",
    r"double fault",
    r"Kernel panic - ",
    r"WARNING: ",                               # WARN_ON, lockdep, suspicious RCU usage
    r"UBSAN: ",
    r"INFO: task .* blocked (for more than|in I/O wait)",
    r"INFO: rcu\S* .*stall",
    r"rcu: INFO: ",
    r"INFO: trying to register non-static key",
    r"INFO: possible ",
    r"INFO: NMI handler",
    r"kmemleak: [1-9]\d* new suspected memory leak",
    r"unreferenced object 0x",
    r"list_(add|del) corruption",
    r"ODEBUG: ",
    r"Bad page state",
    r"scheduling while atomic",
    r"stack guard page was hit",
    r"DEBUG_LOCKS_WARN_ON",
    r"refcount_t: ",
    r"Fixing recursive fault",
    r"workqueue lockup",
]
# After these nothing in the guest can be believed: it need not run to its end.
FATAL = r"kernel BUG at |Oops[: ]|general protection fault|double fault|Kernel panic - |BUG: unable to handle"

_STAMP = r"^(?:<\d+>)?\[ *\d+\.\d+\](?:\[[ TC\d]+\])? "
_ANY = re.compile(_STAMP + "(?:[^ ]{1,40}: )?(?:" + "|".join(PATTERNS) + ")")
_FATAL = re.compile(_STAMP + ".*(?:" + FATAL + ")")
_END = re.compile(r"---\[ end (trace|Kernel panic)")

LINES = 90


def is_splat(line):
    return bool(_ANY.match(line))


def is_fatal(line):
    return bool(_FATAL.match(line))


def first(text):
    """The lines of the first splat in a console's text, or an empty list."""
    lines = text.splitlines()
    for nr, line in enumerate(lines):
        if is_splat(line):
            out = lines[max(0, nr - 1):nr + LINES]
            for end, later in enumerate(out[2:], 3):
                if _END.search(later):
                    return out[:end]
            return out
    return []
