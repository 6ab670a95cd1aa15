#!/bin/sh
# Runs before every tool call: should the session that drives the loop here halt, and does the rest
# of a prompt wait for it (later_prompt.py)? Shell only, about a millisecond. `loop cancel` and `loop
# pause` write .loop/halt, which is the JSON to print once. A person may also create .loop/STOP.
d="${CLAUDE_PROJECT_DIR:-$PWD}"
held="${XDG_STATE_HOME:-$HOME/.local/state}/loopwright/sessions/$CLAUDE_CODE_SESSION_ID"
# A loop that the session holds comes first, wherever the session is now.
[ ! -f "$held" ] || read -r d <"$held"
case $d in ?:*\\*) d=$(printf '%s' "$d" | tr "\\134" /) ;; esac # Windows
while [ ! -d "$d/.loop" ]; do
    [ -e "$d/.git" ] && exit 0
    case "$d" in
        */*) d="${d%/*}" ;;
        *) exit 0 ;;
    esac
done
d="$d/.loop"
[ -e "$d/halt" ] || [ -e "$d/STOP" ] || [ -e "$d/next-prompt" ] || exit 0
[ -n "$CLAUDE_CODE_SESSION_ID" ] || exit 0
read -r driver 2>/dev/null <"$d/driver" || exit 0
[ "$driver" = "$CLAUDE_CODE_SESSION_ID" ] || exit 0
if [ ! -e "$d/halt" ] && [ ! -e "$d/STOP" ]; then
    # Whoever wrote the file, it becomes one string of JSON.
    text=$(sed 's/[\\"]/\\&/g; s/$/\\n/' "$d/next-prompt" | tr '\t' ' ' | tr -d '\000-\037')
    rm -f "$d/next-prompt"
    told='{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"%s"}}\n'
    # shellcheck disable=SC2059  # the format is ours
    [ -z "$text" ] || printf "$told" "$text"
    exit 0
fi
if [ -e "$d/halt" ]; then
    cat "$d/halt"
    rm -f "$d/halt"
else
    # shellcheck disable=SC2016  # the backticks are part of the message
    why='[LOOP] Halted by .loop/STOP. Go on: `loop continue`'
    refusal='"hookEventName":"PreToolUse","permissionDecision":"deny"'
    refusal="{$refusal,\"permissionDecisionReason\":\"$why\"}"
    printf '{"continue":false,"stopReason":"%s","hookSpecificOutput":%s}\n' "$why" "$refusal"
fi | sed "${CLAUDE_PLUGIN_ROOT:+s|\`loop |\`/loop:|g}" # with the plugin, `loop why` is typed /loop:why
exit 0
