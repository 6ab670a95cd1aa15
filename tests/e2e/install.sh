#!/bin/sh
# Installs the clients that the end-to-end tests drive, each in exactly one version, outside the repository. Without them they are
# skipped. Usage: install.sh PYTHON
set -eu
python=$1
cd "$(dirname "$0")/../.."

install() { # CHOSEN MODULE...: what the module names, unless another program was chosen
    chosen=$1
    shift
    "$python" -m "$@" | {
        read -r package
        read -r folder
        read -r program
        [ ! -e "$program" ] || exit 0
        [ -z "$chosen" ] || exit 0
        if ! command -v npm >/dev/null; then
            echo "no npm here: $package is not installed, and the tests that drive it are skipped"
            exit 0
        fi
        new=$folder.$$
        trap 'rm -rf "$new"' EXIT
        mkdir -p "$new"
        if npm install --loglevel=error --ignore-scripts --omit=optional --no-save --no-audit --no-fund \
            --fetch-retries=1 --fetch-retry-mintimeout=1000 --prefix "$new" "$package" </dev/null >"$new/said" 2>&1; then
            # In one step, so that a half of it is never taken for the whole.
            rm -rf "$folder"
            mv "$new" "$folder"
            echo "installed $package in $folder"
        else
            echo "npm could not install $package; the tests that drive it are skipped. It said:"
            tail -3 "$new/said"
        fi
    }
}

# All at once: each waits for the network most of the time.
install "${LOOP_CLIENT:-}" tests.e2e.client &
install "${LOOP_CODEX:-}" tests.e2e.codex &
install "${LOOP_GEMINI:-}" tests.e2e.clients gemini &
install "${LOOP_QWEN:-}" tests.e2e.clients qwen &
install "${LOOP_COPILOT:-}" tests.e2e.clients copilot &
install "${LOOP_OPENCODE:-}" tests.e2e.clients opencode &
install "" tests.browser.axe &
wait
