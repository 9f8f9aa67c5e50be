# SPDX-License-Identifier: GPL-2.0
#
# From the text tables in debugfs to objects, and from those to lines of "what,
# expected, actual". Columns are found by the name in the header line, so a new
# column breaks nothing. Written for the tests alone: the tools are checked
# against it, it does not trust them.

def table:
  split("\n") | map(select(length > 0) | split("\t"))
  | .[0] as $names
  | .[1:] | map(. as $row | reduce range($names | length) as $i ({}; .[$names[$i]] = $row[$i]));

def by_id: map({(.id): .}) | add // {};

def number_or_null: if . == null or . == "-" then null else tonumber end;

def sum(stream): reduce stream as $x (0; . + $x);

# One object for each row of totals: who, what, where, how.
def origins($totals; $acts; $roles; $files; $stacks):
  ($acts | table | by_id) as $act
  | ($roles | table | by_id) as $role
  | ($files | table | by_id) as $file
  | ($stacks | table | by_id) as $stack
  | $totals | table | map(
      . as $row
      | ($act[.act] // {kind: "no such act"}) as $a
      | ($role[$a.role // "-"] // {}) as $r
      | ($file[$a.file // "-"] // {}) as $f
      | ($role[.issuer] // {}) as $i
      | { dev, op, reason, basis,
          act: .act, kind: $a.kind, named: ($r != {}),
          ios: (.ios | tonumber), bytes: (.bytes | tonumber),
          cancelled: (.cancelled | tonumber),
          used: (.used | number_or_null), unused: (.unused | number_or_null),
          unseen: (.unseen | number_or_null),
          pid: ($r.tgid | number_or_null), tid: ($r.pid | number_or_null),
          start_ns: ($r.start_ns | number_or_null),
          comm: $r.comm, flags: $r.flags,
          cgroup: $r.cgroup, cgroup_id: ($r.cgroup_id | number_or_null),
          path: $f.path, ino: ($f.ino | number_or_null), file_flags: $f.flags,
          fstype: $f.fstype, frames: $stack[$a.stack // "-"].frames,
          issuer: $i.comm, issuer_pid: ($i.tgid | number_or_null) });

# Two snapshots of disk_stats, the table of devices, the rows of totals:
# for each disk and operation they tell the same.
def conservation($base; $now; $devices; $origins):
  def stats: split("\n") | map(select(length > 0) | split("\t")
    | { name: .[0], dev: .[1],
        ios: { read: .[2], write: .[4], discard: .[6], flush: .[8] },
        sectors: { read: .[3], write: .[5], discard: .[7], flush: "0" } });
  ($devices | table) as $devices
  | ($base | stats) as $base
  | ($now | stats)[] as $n
  | ($base[] | select(.dev == $n.dev)) as $b
  | ("read", "write", "discard", "flush") as $op
  | def moved(f): ($n | f[$op] | tonumber) - ($b | f[$op] | tonumber);
    def counted(f): sum($devices[] | select(.dev == $n.dev and .op == $op) | f | tonumber);
    [ "bytes_are_conserved", "\($n.name) \($op): bytes in devices, against disk statistics",
      moved(.sectors) * 512, counted(.bytes) ],
    [ "ios_are_counted", "\($n.name) \($op): ios in devices, against disk statistics",
      moved(.ios), counted(.ios) ],
    [ "bytes_are_conserved", "\($n.name) \($op): bytes in totals, against disk statistics",
      moved(.sectors) * 512,
      sum($origins[] | select(.dev == $n.dev and .op == $op) | .bytes) ]
  | @tsv;

# A word out of several; what else was seen otherwise.
def only_words($allowed):
  if $allowed == "any" then "any"
  else ($allowed | split("|")) as $w
    | map(select(IN($w[]) | not)) | unique
    | if . == [] then $allowed else join(", ") end
  end;

# Reads the ledger; for each debt and each file: scenario, what, expected, actual.
def judge($origins; $dev; $block; $tick):
  def round_up: (. + $block - 1) / $block | floor * $block;
  def owed: # bytes to be written, bytes to be cancelled
    (.bytes | round_up) as $all
    | (.share | split("-")) as [$share, $less]
    | (($less // "0") | tonumber) as $less
    | if $share == "all" then [$less, $all - $less]
      elif $share == "half" then [$all / 2 + $less, $all / 2 - $less]
      elif $share == "any" then [$all, null]
      else [$all, 0] end;
  [ $origins[] | select(.dev == $dev) ] as $rows
  | [ inputs | split(" ")
      | { scenario: .[0], op: .[1], kind: .[2], bases: .[3], reasons: .[4], share: .[5],
          cgroup: .[6], cgroup_id: (.[7] | tonumber), path: .[8],
          pid: (.[9] | tonumber), tid: (.[10] | tonumber), start: (.[11] | tonumber),
          comm: .[12], bytes: (.[13] | tonumber) } ] as $ledger
  | $ledger | group_by(.scenario)[]
  | ( .[] as $t
      | ($t | owed) as [$written, $cancelled]
      # What is cancelled reached no disk: it may be on any device.
      | [ $origins[] | select(.kind == $t.kind and .pid == $t.pid and .tid == $t.tid
            and .comm == $t.comm and ($t.path == "-" or .path == $t.path)) ] as $mine
      | [ $mine[] | select(.dev == $dev and .op == $t.op and .bytes > 0) ] as $moved
      | sum($moved[].bytes) as $bytes
      | sum($mine[].cancelled) as $dropped
      | ([ $mine[] | "\(.cgroup) \(.cgroup_id)" ] | unique | join(", ")) as $cgroups
      | "\($t.comm) (pid \($t.pid)) \($t.op) \($t.path)" as $who
      | (if $cancelled == null
         then ["\($who): written and cancelled bytes", $written, $bytes + $dropped]
         else ["\($who): bytes", $written, $bytes], ["\($who): cancelled", $cancelled, $dropped] end),
        ["\($who): cgroup", "\($t.cgroup) \($t.cgroup_id)", $cgroups],
        ["\($who): basis", $t.bases, ($moved | map(.basis) | only_words($t.bases))],
        ["\($who): reason", $t.reasons, ($moved | map(.reason) | only_words($t.reasons))],
        ["\($who): start time, ns off beyond a tick", 0,
         ([ $mine[] | .start_ns - $t.start | if . < 0 then -. else . end
            | if . <= $tick then 0 else . end ] | max)]
      | [$t.scenario] + . ),
    # Nobody else has bytes of the same files.
    ( group_by([.path, .op])[] | .[0] as $t | select($t.path != "-" and (map(.share) | index("any") | not))
      | [ $t.scenario, "everybody \($t.op) \($t.path): bytes",
          sum($ledger[] | select(.path == $t.path and .op == $t.op) | owed[0]),
          sum($rows[] | select(.path == $t.path and .op == $t.op
                and (.kind | IN("data", "direct", "read"))) | .bytes) ] )
  | @tsv;
