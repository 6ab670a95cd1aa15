#!/bin/sh
# Runs after each edit of the agent: was it a test, and is there a loop? Shell only, unless both are
# true. Then hook/edit_warning.py compares this one file with the baseline. It only warns.
[ -z "$LOOP_CHILD" ] || exit 0 # the runner of this agent handles its events
d="${CLAUDE_PROJECT_DIR:-$PWD}"
held="${XDG_STATE_HOME:-$HOME/.local/state}/loopwright/sessions/$CLAUDE_CODE_SESSION_ID"
# A loop that the session holds comes first, wherever the session is now.
[ ! -f "$held" ] || read -r d <"$held"
case $d in ?:*\\*) d=$(printf '%s' "$d" | tr "\\134" /) ;; esac # Windows
while [ ! -e "$d/.loop/journal.jsonl" ]; do
    [ -e "$d/.git" ] && exit 0
    case "$d" in
        */*) d="${d%/*}" ;;
        *) exit 0 ;;
    esac
done
event=$(cat)
file=${event#*\"file_path\":}
[ "$file" != "$event" ] || exit 0
file=${file# }
file=${file#\"}
case ${file%%\"*} in
    *[Tt]est* | *[Ss]pec*) ;;
    *) exit 0 ;;
esac
printf '%s' "$event" | sh "${0%/*}/gate.sh" PostToolUse
