#!/usr/bin/env bash
# Seed 000's stop-check, as tight as bash and jq allow: three calls of jq, no transcript, no lock, no fsync.
# It stands here to be measured against.
state="${CLAUDE_PROJECT_DIR:-.}/.loop/state.json"
jq="${JQ:-jq}"
read -r session < <("$jq" -r '.session_id // ""')
[ -f "$state" ] || { echo '{"ok":true}'; exit 0; }
IFS=$'\t' read -r status stuck leave unmet driver < <("$jq" -r '[
    .status,
    .circuitBreaker.stuckCount,
    .exit_signal,
    ([.criteriaStatus | to_entries[] | select((.value == true or .value.met? == true) | not) | .key] | join(", ") | if . == "" then "-" else . end),
    .session // "-"] | @tsv' "$state")
if [ "$driver" != "-" ] && [ "$driver" != "$session" ]; then
    echo '{"ok":true}'
elif [ "$status" = completed ] || [ "$status" = cancelled ] || [ "$stuck" -ge "${STUCK:-5}" ]; then
    echo '{"ok":true}'
elif [ "$unmet" = "-" ] && [ "$leave" = true ]; then
    echo '{"ok":true}'
else
    "$jq" '.iteration += 1' "$state" >"$state.$$" && mv "$state.$$" "$state"
    unmet="${unmet//\\/\\\\}"
    printf '{"ok":false,"reason":"unmet criteria: %s"}\n' "${unmet//\"/\\\"}"
fi
