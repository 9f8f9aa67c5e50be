# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Who watches. Each has start_NAME and stop_NAME; start gets the half of the job that is
# wanted, and returns when the tracer is at work, or says why it cannot and fails.
#
# name: as in the results, - for _ in the names of functions
# rounds: outer: started anew for each round; inner: starting takes long, so all rounds
#         run under one start
# halves: those it can do
tracer_table() {
	cat <<-END
	none		outer	dirty,io,acts
	off		outer	dirty,io
	totals		outer	dirty,io,acts
	events		outer	dirty,io
	event		outer	dirty,io
	event-pair	outer	io
	event-stack	outer	dirty,io
	bpftrace	inner	dirty,io
	biosnoop	inner	dirty,io
	blktrace	inner	dirty,io
	perf		inner	dirty,io
	trace-cmd	inner	dirty,io
	END
}

# tracer NAME rounds|halves
tracer() {
	tracer_table | awk -v t="$1" -v f="$2" '
		BEGIN { col["rounds"] = 2; col["halves"] = 3 }
		$1 == t { print $col[f] }'
}

# tracers [ROUNDS]: the names that are wanted; none always is
tracers() {
	tracer_table | awk -v r="${1-}" -v want="$TRACERS_WANTED" '
		(r == "" || r == $2) && (want == "" || $1 == "none" || index(" " want " ", " " $1 " ")) { print $1 }'
}

# Set by stop_NAME: how many events the tracer says it has lost.
LOST=

start_none() { :; }
stop_none() { LOST=0; }

start_off() { load_module; }
stop_off() {
	unload_module
	LOST=0
}

ioblame_lost() { awk -F '\t' '$1 ~ /^lost_/ { n += $2 } END { print n + 0 }' "$IOB/stats"; }

# start_totals HALF [WORKLOAD]
start_totals() {
	local room
	load_module || return
	room=$(workload "${2-}" acts)
	[ -z "$room" ] || echo "${room#*/}" >"$IOB/limits/acts"
	enable
}
stop_totals() {
	LOST=$(ioblame_lost)
	unload_module
}

module_enabled() { [ "$(<"$IOB/enable")" = 1 ]; }

start_events() {
	load_module || return
	launch ioblame ioblame record -d 1000000 -o "$OUT/ioblame.data"
	await ioblame module_enabled
}
stop_events() {
	LOST=$(ioblame_lost)
	end_tracer
	LOST=$((LOST + $(sed -n 's/.*LOST \([0-9]*\) events.*/\1/p' "$OUT/ioblame.said" | head -n 1) + 0))
	unload_module
}

# launch NAME COMMAND...: what it says is in $OUT/NAME.said
launch() {
	local said=$OUT/$1.said
	shift
	# A process group of its own: else it would not hear SIGINT.
	set -m
	"$@" >"$said" 2>&1 </dev/null &
	set +m
	TRACER_PID=$!
}

# await NAME COMMAND...: until it succeeds, or the tracer has gone. The clock runs ahead
# while the guest waits for the host, so tries are counted, not seconds.
await() {
	local name=$1 tries
	shift
	for ((tries = 0; tries < 2000; tries++)); do
		"$@" && return
		kill -0 "$TRACER_PID" 2>/dev/null || break
		nap 0.5
	done
	kill -KILL "$TRACER_PID" 2>/dev/null
	tail -n 1 "$OUT/$name.said" | grep . || echo "$name does not start"
	return 1
}

# end_tracer: as a user does, and wait until it has written all
end_tracer() {
	kill -INT "$TRACER_PID"
	wait "$TRACER_PID"
}
