# Sourced by ./dev and its verbs: named, timed steps.
# shellcheck shell=bash disable=SC2034,SC2154

# Seconds since the epoch, in milliseconds, without starting a process.
now_ms() { local t=${EPOCHREALTIME/[.,]/}; echo "${t:0:-3}"; }

seconds_since() {
    local ms=$(($(now_ms) - $1))
    printf '%d.%d s' $((ms / 1000)) $((ms % 1000 / 100))
}

say() { printf '%s\n' "$*"; }
die() {
    printf 'dev: %s\n' "$*" >&2
    exit 1
}

declare -a step_lines=()
steps_passed=0
steps_failed=0
all_started=$(now_ms)

# record NAME STATUS STARTED: keeps one line for the closing table.
record() {
    local outcome=ok
    if [[ $2 -eq 0 ]]; then
        steps_passed=$((steps_passed + 1))
    else
        outcome="FAILED (exit $2)"
        steps_failed=$((steps_failed + 1))
    fi
    step_lines+=("$(printf '%-34s %9s  %s' "$1" "$(seconds_since "$3")" "$outcome")")
    printf -- '-- %s: %s, %s\n' "$1" "$outcome" "$(seconds_since "$3")"
}

# step NAME COMMAND...: runs it, shows its output, ends the script when it fails.
step() {
    local name=$1 started status
    shift
    started=$(now_ms)
    printf '\n== %s\n' "$name"
    set +e
    (
        set -e
        "$@"
    )
    status=$?
    set -e
    record "$name" "$status" "$started"
    if [[ $status -ne 0 ]]; then
        printf 'dev: step "%s" failed (exit %d)\n' "$name" "$status" >&2
        exit 1
    fi
}

# try_step NAME COMMAND...: as step, but keeps the output in build/log, shows it only when the
# command fails, and goes on with the next step; finish_steps then makes the script fail.
try_step() {
    local name=$1 started status log
    shift
    log=build/log/${name//[^A-Za-z0-9]/-}.log
    mkdir -p build/log
    started=$(now_ms)
    printf '\n== %s\n' "$name"
    set +e
    (
        set -e
        "$@"
    ) >"$log" 2>&1
    status=$?
    set -e
    if [[ $status -ne 0 ]]; then
        tail -n 40 "$log"
        say "   its first errors:"
        grep -m 10 -E 'error|FAILED|WARNING: ThreadSanitizer' "$log" | cut -c1-200 || true
        say "   (the whole output: $log)"
    else
        tail -n 1 "$log"
    fi
    record "$name" "$status" "$started"
}

# Prints the table of all steps and ends the script with 1 when one failed.
finish_steps() {
    printf '\n'
    printf '   %s\n' "${step_lines[@]}"
    printf '   %-34s %9s\n\n' 'all steps' "$(seconds_since "$all_started")"
    say "$steps_passed passed, $steps_failed failed"
    [[ $steps_failed -eq 0 ]] || exit 1
}
