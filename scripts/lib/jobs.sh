# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs what scripts/jobs lists, two at once at most, and keeps what each guest said in
# $results: JOB.tap, JOB.err, JOB.seconds and JOB.status.

# jobs_named PATTERN: the names that match, in order
jobs_named() { awk -v p="$1" '!/^#/ && NF && $1 ~ p { print $1 }' "$here/jobs"; }

# jobs_of check|long: the names of what runs in that
jobs_of() { awk -v w="$1" '!/^#/ && NF && ($4 == w || $4 == "both") { print $1 }' "$here/jobs"; }

# jobs_field JOB kernel|seconds|work|options
jobs_field() {
	awk -v j="$1" -v f="$2" '!/^#/ && $1 == j {
		if (f == "kernel") print $2
		if (f == "seconds") print $3
		if (f == "work") print $5
		if (f == "options") for (i = 6; i <= NF; i++) print $i }' "$here/jobs"
}

# jobs_word JOB WORD: of the work of a job, the values of WORD=VALUE[+VALUE...]
jobs_word() {
	jobs_field "$1" work | tr , '\n' | sed -n "s/^$2=//p" | tr + ' '
}

# job_run JOB: one guest, to its end
job_run() {
	local job=$1 work rc=0 options=()
	mapfile -t options < <(jobs_field "$job" options)
	work=$(jobs_field "$job" work)
	case $work in
	kunit)
		set -- sh -c "$(cat "$here/lib/guest-kunit")" ;;
	selftests:*)
		# shellcheck disable=SC2046,SC2016 # one word each; expanded in the guest
		set -- env "IOBLAME_FS=$(jobs_word "$job" FS)" "IOBLAME_DISK_KINDS=$(jobs_word "$job" DISKS)" \
			"IOBLAME_VERIFY=$(jobs_word "$job" VERIFY)" \
			sh -c 'exec "$IOBLAME_SELFTESTS/run" "$@"' run \
			$(sed 's/^selftests://; s/,[A-Z]*=[^,]*//g' <<<"$work" | tr , ' ') ;;
	*)
		die "scripts/jobs: job $job: work '$work' is neither kunit nor selftests:AREA" ;;
	esac
	"$here/vm" --kernel "$(jobs_field "$job" kernel)" --timeout "$(jobs_field "$job" seconds)" \
		${options[@]+"${options[@]}"} -- "$@" \
		>"$results/$job.tap" 2>"$results/$job.err" </dev/null || rc=$?
	job_verdict "$job" "$rc" >>"$results/$job.tap"
	echo "$rc" >"$results/$job.status"
}

# A guest that ended badly is a failed case of its own, whatever its tests said.
job_verdict() {
	local job=$1 rc=$2 failed passed skipped why
	read -r passed failed skipped < <(tap_count "$results/$job.tap")
	case $rc in
	0)
		[ $((passed + failed + skipped)) -eq 0 ] || return 0
		why="the guest ran no test" ;;
	70) why="the kernel printed a splat" ;;
	71) why="the guest died or hung" ;;
	124) why="out of time" ;;
	1)
		[ "$failed" -eq 0 ] || return 0
		why="status 1, and no test says why" ;;
	*) why="status $rc" ;;
	esac
	# A guest that was cut off may have left half a line.
	printf '\nnot ok %d - guest %s: %s\n' $((passed + failed + skipped + 1)) "$job" "$why"
	tail -n 100 "$results/$job.err" | sed 's/^/# /'
}

# One line for a guest that has ended
job_report() {
	local job=$1 passed failed skipped
	[ "$(jobs_field "$job" kernel)" != host ] || return 0
	read -r passed failed skipped < <(tap_count "$results/$job.tap")
	say "$job: $passed passed, $failed failed, $skipped skipped ($(cat "$results/$job.seconds") s)"
	tap_failures "$results/$job.tap" >&2
}

# aside COMMAND...: in the background, in a process group of its own, so that stopping
# it stops the guest and the compiler below it too
aside() {
	set -m
	"$@" </dev/null &
	set +m
}

# aside_stop: end all that runs aside, and wait until it has cleaned up
aside_stop() {
	local pid
	for pid in $(jobs -p); do
		kill -- "-$pid" 2>/dev/null || true
	done
	wait 2>/dev/null || true
}

job_start() {
	local start=$SECONDS
	case $(jobs_field "$1" kernel) in
	host) host_checks ;;
	*) job_run "$1" ;;
	esac
	echo $((SECONDS - start)) >"$results/$1.seconds"
}

# jobs_run JOB...: all of them; a job waits until its kernel is there (job_ready)
jobs_run() {
	local waiting=("$@") left job pid
	declare -A running=()
	while [ ${#waiting[@]} -gt 0 ] || [ ${#running[@]} -gt 0 ]; do
		for pid in "${!running[@]}"; do
			kill -0 "$pid" 2>/dev/null && continue
			wait "$pid" || true
			job_report "${running[$pid]}"
			unset "running[$pid]"
		done
		left=()
		for job in ${waiting[@]+"${waiting[@]}"}; do
			if [ ${#running[@]} -lt 2 ] && job_ready "$job"; then
				say "$job ..."
				aside job_start "$job"
				running[$!]=$job
			else
				left+=("$job")
			fi
		done
		waiting=(${left[@]+"${left[@]}"})
		sleep 1
	done
}
