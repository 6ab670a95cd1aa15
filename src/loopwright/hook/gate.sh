#!/bin/sh
# Runs before hook/__main__.py at every event of every session: without a loop it prints nothing and
# starts no Python. It passes the event's JSON on stdin to hook/__main__.py unread.
# usage: sh gate.sh EVENT [ARGUMENTS OF hook/__main__.py]
[ -z "$LOOP_CHILD" ] || exit 0 # the runner of this agent handles its events
event=$1
shift
root=${0%/vendor/*}
case $HOME in
    */../* | */./* | *//* | */.. | */.) HOME=$(CDPATH='' cd "$HOME" 2>/dev/null && pwd) ;;
    /* | ?:*) ;;
    *) # unset, or no path: what the user database says
        HOME=$(eval "echo ~$(id -un 2>/dev/null)")
        case $HOME in /*) ;; *) HOME='' ;; esac
        ;;
esac
case $XDG_STATE_HOME in
    /* | ?:*) active=$XDG_STATE_HOME/loopwright/active ;;
    *) active=$HOME/.local/state/loopwright/active ;;
esac
data=${CLAUDE_PLUGIN_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/loopwright}

umask u=rwx # some umasks take the owner's own rights

# Does this session hold a loop, wherever its folder is now?
holds_loop() {
    case $CLAUDE_CODE_SESSION_ID in '' | *[!A-Za-z0-9_-]*) return 1 ;; esac
    held="${active%/active}/sessions/$CLAUDE_CODE_SESSION_ID"
    [ -r "$held" ] && read -r d <"$held" && [ -e "$d/.loop/journal.jsonl" ]
}

# The same search for the path as Windows means it. Elsewhere a backslash is a letter of a name, so
# the path as it is comes next.
above_with_slashes() {
    case $2 in *\\*) "$1" "$(printf '%s' "$2" | tr "\\134" /)" ;; *) return 1 ;; esac
}

# Is there a journal, or a state.json in the documented format that has not ended, in this folder or
# above it? The search ends at the top of a checkout and below HOME.
loop_above() {
    ! above_with_slashes loop_above "$1" || return 0
    d=$1
    while [ -n "$d" ]; do
        case "$HOME/" in "$d"/*) return 1 ;; esac
        [ -e "$d/.loop/journal.jsonl" ] && return 0
        if [ -e "$d/.loop/state.json" ]; then
            ended "$d/.loop/state.json" || return 0
        fi
        [ -e "$d/.git" ] && return 1
        case $d in */*) d=${d%/*} ;; *) return 1 ;; esac
    done
    return 1
}

# Does our own record name an active loop here? Then its files are gone, and Python says so.
# store/second_copy.py writes that record: a small file under the path of the project.
lost_above() {
    [ -d "$active" ] && [ -n "$1" ] || return 1
    ! above_with_slashes lost_above "$1" || return 0
    d=$1
    ! CDPATH='' cd -P "$d" 2>/dev/null || d=$PWD
    case $d in ?:*) d=/${d%%:*}${d#*:} ;; esac
    while [ -n "$d" ]; do
        if [ -e "$active$d/loop" ]; then
            [ ! -e "$d/.loop/journal.jsonl" ]
            return
        fi
        [ -e "$d/.git" ] && return 1
        case $d in */*) d=${d%/*} ;; *) return 1 ;; esac
    done
    return 1
}

ended() {
    grep -Eq '"status"[[:space:]]*:[[:space:]]*"(completed|cancelled|failed)"' "$1" &&
        ! grep -Eq '"status"[[:space:]]*:[[:space:]]*"(in_progress|active)"' "$1"
}

# The client marks a version that it no longer uses. When all versions are marked, the plugin was
# removed, and the session is not held.
removed() {
    [ -e "$root/.orphaned_at" ] || return 1
    for other in "$root"/../*/VERSION; do
        [ -e "${other%/VERSION}/.orphaned_at" ] || return 1
    done
}

# An update may delete the files of this version while a session runs: then this copy answers.
# In a clone vendor/loopwright is a symbolic link: -L copies the folder that it points to.
keep_copy() {
    [ "$root" != "$data/code" ] || return 0
    have=
    [ ! -r "$data/code/VERSION" ] || read -r have <"$data/code/VERSION"
    read -r mine <"$root/VERSION" || return 0
    [ "$have" != "$mine" ] || return 0
    new="$data/code.$$"
    if mkdir -p "$new" && cp -RL "$root/vendor" "$root/bin" "$root/VERSION" "$new" && chmod -R u+w "$new"; then
        [ ! -e "$data/code" ] || mv "$data/code" "$new.old"
        mv "$new" "$data/code"
    fi
    rm -rf "$new" "$new.old"
}

# After a failure the client exits at once and ends its hooks: we answer in a session of our own.
answer_later() {
    failure="$data/failure-$$"
    mkdir -p "$data" && cat >"$failure" || return 0
    away="nohup"
    ! command -v setsid >/dev/null || away="setsid -f"
    # shellcheck disable=SC2016,SC2086  # expanded by the inner shell; one word or two
    $away sh -c '"$0" -I -S -X "pycache_prefix=$1" "$2" claude <"$3"; rm -f "$3"' \
        "$python" "$data/cache" "$entry" "$failure" >/dev/null 2>&1 &
}

if [ "$event" != UserPromptExpansion ]; then # a typed command is always answered
    holds_loop || loop_above "$PWD" || loop_above "$CLAUDE_PROJECT_DIR" ||
        lost_above "$PWD" || lost_above "$CLAUDE_PROJECT_DIR" || exit 0
fi
! removed || exit 0
[ ! -d /dev/stdin ] || exec </dev/null # Python does not start with a folder as its input

python=
[ ! -r "$data/python" ] || read -r python <"$data/python"
[ -x "$python" ] || python=$(sh "${0%/*}/python.sh" "$data")
if [ -z "$python" ]; then
    reported="$data/told-$CLAUDE_CODE_SESSION_ID" # once per session
    [ ! -e "$reported" ] || exit 0
    mkdir -p "$data" && : >"$reported"
    have=$(python3 --version 2>&1 | tr -cd '[:alnum:]. ')
    printf '{"systemMessage":"[LOOP] Loopwright needs Python 3.11 or later, as python3, python or py (here: %s). %s"}\n' \
        "${have:-none}" "Until then no loop is held; nothing is lost."
    exit 0
fi

entry="vendor/loopwright/hook/__main__.py"
[ -f "$root/$entry" ] || root="$data/code" # an update is half done: the copy is complete
entry="$root/$entry"
if [ ! -f "$entry" ]; then # Python would exit with 2, which holds the session
    printf '{"systemMessage":"[LOOP] The plugin is incomplete, so no loop is held. Install it again: %s"}\n' \
        "claude plugin uninstall loop@loopwright, then: claude plugin install loop@loopwright"
    exit 0
fi
case $event in
    SessionStart | UserPromptExpansion) keep_copy 2>/dev/null ;;
    StopFailure) answer_later && exit 0 ;;
esac
exec "$python" -I -S -X "pycache_prefix=$data/cache" "$entry" claude "$@"
