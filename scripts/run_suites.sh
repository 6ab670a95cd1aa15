#!/usr/bin/env bash
# Every suite of `make test`, and a table of what each took.
# After the setup there are two lanes beside each other: `pytest`, which is the longest, and all the
# others, which wait for a client, a database or a browser half of the time.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
output=$(mktemp -d)

# NAME BUDGET, in order. The budget is in seconds, on two cores that do nothing but this run.
SETUP=(setup 60)
LONGEST=(pytest 420)
OTHERS=(lint 60 fleet 120 clients 120 browser 60 proof 60)

# run_suite NAME BUDGET: its output goes into a file, its row of the table into another.
# Only a failed command fails the run: a busy machine may need longer than the budget, and the table says so.
run_suite() {
    local name=$1 budget=$2 begun=$SECONDS code=0 note="" seconds
    TIMEFORMAT='%U %S'
    { time make "$name" >"$output/$name" 2>&1; } 2>"$output/$name.times" || code=$?
    seconds=$((SECONDS - begun))
    ((seconds <= budget)) || note="over budget"
    ((code == 0)) || note="failed"
    awk -v name="$name" -v seconds="$seconds" -v budget="$budget" -v note="$note" \
        '{ printf "%-10s %8d %10d %8d  %s\n", name, seconds, $1 + $2, budget, note }' \
        "$output/$name.times" >"$output/$name.row"
    return "$code"
}

# run_lane NAME BUDGET [NAME BUDGET]...: prints the name of each suite when it ends. A failed one ends the lane.
run_lane() {
    while (($#)); do
        run_suite "$1" "$2" || { echo "$1"; return 1; }
        echo "$1"
        shift 2
    done
}

print_output() { # NAME
    printf '\n===== make %s\n' "$1"
    cat "$output/$1"
}

# Whole outputs, one after the other: two lanes that print at once cannot be read. What failed comes last.
print_outputs() {
    local name failed=()
    while read -r name; do
        cat "$output/$name.row" >>"$output/table"
        if grep -q 'failed$' "$output/$name.row"; then failed+=("$name"); else print_output "$name"; fi
    done
    for name in ${failed[@]+"${failed[@]}"}; do print_output "$name"; done # an older bash knows no empty list
}

# shellcheck disable=SC2317 # the trap calls it
print_table() {
    local begun name
    for begun in "$output"/*.times; do
        name=$(basename "$begun" .times)
        [ -e "$output/$name.row" ] || { print_output "$name"; echo "(it did not end)"; }
    done
    printf '\n%-10s %8s %10s %8s\n' suite seconds processor budget
    cat "$output/table" 2>/dev/null
    printf '%-10s %8d\n' all "$SECONDS"
    rm -rf "$output"
}
trap print_table EXIT

run_suites() {
    run_lane "${SETUP[@]}" || return
    # Each lane is a shell of its own: `time` counts all the children of its shell that end meanwhile.
    local lane lanes=() code=0
    run_lane "${OTHERS[@]}" &
    lanes+=($!)
    run_lane "${LONGEST[@]}" &
    lanes+=($!)
    for lane in "${lanes[@]}"; do wait "$lane" || code=1; done
    return "$code"
}

run_suites | print_outputs
exit "${PIPESTATUS[0]}"
