#!/bin/sh
# Reports that the package is missing. Git without symbolic links (Windows) checks the link out as a
# small text file.
[ -z "$LOOP_CHILD" ] || exit 0 # the runner of this agent handles its events
printf '{"systemMessage":"[LOOP] The plugin is incomplete: vendor/loopwright is not a folder, so no loop is held. %s %s"}\n' \
    "In a clone of Loopwright run: python3 src/loopwright/__main__.py plugin build --out DIR," \
    "then: claude plugin marketplace add DIR (its full path). Keep DIR; the plugin is read from it."
