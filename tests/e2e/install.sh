#!/bin/sh
# Installs the clients that the end-to-end tests drive, each in exactly one version, outside the repository. Without them they are
# skipped. Usage: install.sh PYTHON
set -eu
python=$1
cd "$(dirname "$0")/../.."

install() { # MODULE CHOSEN: what the module names, unless another program was chosen
    "$python" -m "$1" | {
        read -r package
        read -r folder
        read -r program
        [ ! -e "$program" ] || exit 0
        [ -z "$2" ] || exit 0
        if ! command -v npm >/dev/null; then
            echo "no npm here: $package is not installed, and the tests that drive it are skipped"
            exit 0
        fi
        new=$folder.$$
        trap 'rm -rf "$new"' EXIT
        mkdir -p "$new"
        if npm install --loglevel=error --ignore-scripts --no-save --no-audit --no-fund --fetch-retries=1 \
            --fetch-retry-mintimeout=1000 --prefix "$new" "$package" </dev/null >"$new/said" 2>&1; then
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

install tests.e2e.client "${LOOP_CLIENT:-}"
install tests.e2e.codex "${LOOP_CODEX:-}"
install tests.browser.axe ""
