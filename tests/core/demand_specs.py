"""Specs as people write them, and how each demand in them begins; none: the spec is one demand."""

SPECS: dict[str, tuple[str, tuple[str, ...]]] = {
    "one sentence": ("fix all failing tests", ()),
    "one sentence with its reason": (
        "Add a --json flag to the report command. Our dashboard needs it on Friday.",
        (),
    ),
    "one sentence, then background": (
        "Make the parser accept trailing commas. Currently it raises a SyntaxError. "
        "That was fine until we began to read files of the new editor.",
        (),
    ),
    "a question": ("Why is the report slow? Should we cache the totals?", ()),
    "a greeting and thanks": (
        "Hi! Could you have a look at the import? Fix the crash on empty files. Thanks a lot!",
        (),
    ),
    "prose with stated behaviour": (
        "Add a coupon field to the cart. It expires at midnight UTC. Invalid coupons are rejected "
        "with status 400. Today there is no such field, because nobody asked for one.",
        ("Add a coupon field", "It expires at midnight", "Invalid coupons are rejected"),
    ),
    "prose with should": (
        "The rate limiter counts each request twice when the client retries.\n\n"
        "It should count a retry once. The limit must reset at the full minute. A client over the "
        "limit should get 429 with a Retry-After header.",
        ("It should count a retry", "The limit must reset", "A client over the limit"),
    ),
    "should not": (
        "The exporter should not write the password column. It must never follow symbolic links. "
        "We found out about this last week in the audit.",
        ("The exporter should not", "It must never follow"),
    ),
    "conditions first": (
        "Change `total()`. If the list is empty, return 0. When a price is negative, raise "
        "ValueError.",
        ("Change `total()`", "If the list is empty", "When a price is negative"),
    ),
    "a fault, and the word to repair it": (
        "rename.sh breaks on file names with spaces. Fix it and add a test for that.",
        (),
    ),
    "tests without a verb": (
        "Add two options:\n- --upper prints everything in capitals\n- --sep X uses X between the "
        "words\n\nBoth can be combined. Tests in tests/render.rs.",
        ("--upper prints", "--sep X uses", "Both can be combined"),
    ),
    "why it is moved": (
        "cut() in mail.py is useful for others. Move it to text.py. It must not change.",
        ("Move it to text.py", "It must not change"),
    ),
    "the end of a sentence inside of code": (
        'Extend `render(text)`:\n\n- `{{a.b}}` reads a path\n- `{{nick ?? "Friend"}}` is a default\n',
        ("`{{a.b}}` reads", '`{{nick ?? "Friend"}}` is'),
    ),
    "bullets without a heading": (
        "- add a `--since` option to `log`\n- reject dates in the future\n"
        "- print `no entries` when nothing matches\n",
        ("add a `--since`", "reject dates", "print `no entries`"),
    ),
    "bullets with an introduction": (
        "Add an endpoint for coupons. It should support:\n\n* creation with an expiry date\n"
        "* lookup by code\n* deletion by admins only\n",
        ("creation with", "lookup by code", "deletion by admins"),
    ),
    "numbered items": (
        "Please do the following:\n1. Make `slugify` keep digits.\n2. Collapse repeated dashes.\n"
        "3. Strip dashes at both ends.\n",
        ("Make `slugify`", "Collapse repeated", "Strip dashes"),
    ),
    "nested items are one demand": (
        "Validate the signup form:\n- reject an empty name\n- check the email:\n"
        "  - it has one @\n  - it has a domain\n- limit the bio to 500 characters\n",
        ("reject an empty", "check the email:; it has one @", "limit the bio"),
    ),
    "acceptance criteria": (
        "## Summary\nUsers lose their filters.\n\n## Acceptance criteria\n"
        "- [ ] Filters survive a reload\n- [ ] A reset button clears all filters\n"
        "- [ ] The URL carries the filters\n\n## Notes\n- the old page is kept until May\n",
        ("Filters survive", "A reset button", "The URL carries"),
    ),
    "a bug report": (
        "**Describe the bug**\nThe total is wrong for three items.\n\n**Steps to reproduce**\n"
        "1. Add three items\n2. Open the cart\n3. See the total\n\n**Expected behavior**\n"
        "The total should be the sum of all prices.\n\n**Environment**\n- Python 3.12\n- Linux\n",
        (),
    ),
    "a bug report with two expectations": (
        "### Actual\n- the page shows 0\n- the log is empty\n\n### Expected\n- the page shows the "
        "sum\n- a warning is logged for a missing price\n",
        ("the page shows the sum", "a warning is logged"),
    ),
    "a user story": (
        "As a shop owner I want to export my orders as CSV so that I can send them to my "
        "accountant.",
        (),
    ),
    "gherkin": (
        "Feature: coupons\n\nScenario: a valid coupon\nGiven a cart with two items\n"
        "When I enter SAVE10\nThen the total is 10 % lower\n\nScenario: an expired coupon\n"
        "Given a cart\nWhen I enter OLD\nThen I see an error\n",
        ("Scenario: a valid coupon Given", "Scenario: an expired coupon Given"),
    ),
    "code blocks": (
        "`parse` fails on this input:\n\n```python\n# it should not be read\nparse('a,,b')\n"
        "- add nothing\n```\n\nMake it return an empty string between two commas.",
        (),
    ),
    "a stack trace": (
        "Fix this crash:\n\nTraceback (most recent call last):\n"
        '  File "app.py", line 3, in <module>\n    main()\nValueError: must be positive\n',
        (),
    ),
    "indented code": (
        "Round half up:\n\n    >>> round_half_up(2.5)\n    3\n    >>> round_half_up(3.5)\n    4\n",
        (),
    ),
    "a quoted mail": (
        "> The customer says: you must fix the logo, it should be blue.\n\n"
        "Make the header load the logo from the settings.",
        (),
    ),
    "German": (
        "Füge dem Warenkorb ein Feld für Gutscheine hinzu. Es soll um Mitternacht ablaufen. "
        "Ungültige Gutscheine müssen mit 400 abgelehnt werden.",
        (),
    ),
    "German items": (
        "- Gutscheine sollen ablaufen\n- ein Fehler wird gezeigt\n- die Liste ist sortiert",
        (),
    ),
    "French": (
        "Ajoute une option au rapport. Elle doit trier les lignes. Les lignes vides ne sont pas "
        "affichées.",
        (),
    ),
    "Spanish": ("Añade una opción. Debe ordenar las filas. Las filas vacías no se muestran.", ()),
    "Japanese": (
        "カートにクーポン欄を追加する。真夜中に期限切れになること。無効なら400を返す。",
        (),
    ),
    "Russian": ("Добавь поле купона. Оно должно истекать в полночь.", ()),
    "process and documents": (
        "Add a `--dry-run` flag to `deploy`. Write tests for it. Update the README. "
        "Keep the change small and open a pull request. Do not add dependencies.",
        (),
    ),
    "hints to the worker": (
        "Speed up `index()`. You should look at the cache first. Feel free to ask me. "
        "We should probably talk to the team about it later.",
        (),
    ),
    "background between demands": (
        "Sort the report by date. The old report was sorted by name, which users disliked. "
        "Entries of the same day must stay in their order. We have 40 customers who use it.",
        ("Sort the report by date", "Entries of the same day"),
    ),
    "motivation section": (
        "# Retry failed uploads\n\n## Motivation\nUploads must work on trains. Users should not "
        "notice a tunnel.\n\n## Requirements\n- retry three times\n- wait 1, 2 and 4 seconds\n",
        ("retry three times", "wait 1, 2 and 4"),
    ),
    "out of scope": (
        "Allow several owners for a project.\n\nRemove an owner only if another one is left.\n\n"
        "Out of scope:\n- email all owners\n- show owners in the sidebar\n",
        ("Allow several owners", "Remove an owner"),
    ),
    "list of versions": (
        "Fix the build on these systems:\n\nEnvironment:\n- Debian 12\n- Python 3.11\n- gcc 12\n",
        (),
    ),
    "summary, list, one more sentence": (
        "Implement undo in the editor.\n\n- undo the last change with ctrl-z\n- redo with ctrl-y\n"
        "- keep at most 100 steps\n- clear the history when a file is closed\n\n"
        "Undo must not work across files.",
        ("undo", "redo", "keep at most 100", "clear the history", "Undo must not"),
    ),
    "statements behind a request, also in the next paragraph": (
        "Stations should be able to share a queue.\n\nA queue belongs to the station that made it. "
        "An entry that had to wait longer than an hour goes to the front, `docs:` entries never do. "
        "We talked about this in May. Who is interested can ask me.",
        ("Stations should", "A queue belongs", "An entry that"),
    ),
    "statements in a list of which one item asks": (
        "Parse the timetable.\n\n- Times are in the zone of the station.\n- Reject a day twice.\n"
        "- An empty cell means no stop.",
        ("Times are", "Reject a day", "An empty cell"),
    ),
    "one sentence that asks for two things": (
        "Quote each field with a comma, and strip the tabs.",
        ("Quote each", "strip the tabs"),
    ),
    "clauses with a verb of their own": (
        "Add these:\n- links have `first` and `last`, and all other parameters (filters, sort) are kept\n"
        "- a bad line is an error with its number; all bad lines are reported\n"
        "- keep the order, and so on\n- refuse letters, digits, and dots",
        (
            "links have",
            "all other",
            "a bad line",
            "all bad",
            "keep the",
            "refuse letters, digits, and",
        ),
    ),
    "a sentence at the margin below a list": (
        "Add to the ring:\n- `find` gives the position of a byte.\n- `peek` reads it.\n"
        "Both must work at the end.",
        ("`find` gives", "`peek` reads", "Both must"),
    ),
    "names behind a colon": (
        "Add options: `-i` ignores case, `-c` counts (only numbers) and `-m N` stops after N lines.",
        ("`-i` ignores", "`-c` counts", "`-m N` stops"),
    ),
    "a list behind a statement about code": (
        "Only addresses work. `parse(text)` reads one entry per line:\n- a network\n- `!` denies",
        ("a network", "`!` denies"),
    ),
    "RFC words": (
        "The server MUST send a nonce. The client MUST NOT reuse it. Both MAY log the exchange.",
        ("The server MUST", "The client MUST NOT"),
    ),
    "short commands, line by line": (
        "Remove the legacy login.\nRedirect /login to /signin.\nDelete sessions older than a day.",
        ("Remove the legacy", "Redirect /login", "Delete sessions"),
    ),
    "abbreviations": (
        "Support more units, e.g. km and mi. Unknown units, i.e. anything else, must raise "
        "UnitError.",
        ("Support more units, e.g. km", "Unknown units, i.e."),
    ),
    "I want": (
        "I want the CLI to remember the last project. I also want it to forget it with --reset. "
        "I think that is easy.",
        ("I want the CLI", "I also want it"),
    ),
    "so that": (
        "Cache the results of `lookup` so that a second call makes no request. "
        "The cache must be bounded to 1000 entries.",
        ("Cache the results", "The cache must be"),
    ),
    "a table": (
        "Convert these codes:\n\n| in | out |\n|---|---|\n| must | M |\n| should | S |\n",
        (),
    ),
    "done items of a refactoring": (
        "Refactor the config module. There are three loaders now. One would be enough.",
        (),
    ),
    "a sentence that begins with a word of a scenario": (
        "Add `ratio(a, b)`.\nWhen b is 0, it returns None.\nIt must not round.",
        ("Add `ratio(a, b)`", "When b is 0", "It must not round"),
    ),
    "a list item that begins with a word of a scenario": (
        "Add to stats.py:\n\n- `ratio(a, b)` returns a / b\n- When b is 0, it returns None\n",
        ("`ratio(a, b)` returns", "When b is 0"),
    ),
    "an example ends with its block": (
        "Add `ratio(a, b)`.\n\nExample:\n\n    >>> ratio(6, 3)\n    2\n\n"
        "If b is 0, it returns None.\n\nExample:\n```\nratio(1, 0)\n```\nIt must not round.",
        ("Add `ratio(a, b)`", "If b is 0", "It must not round"),
    ),
    "a verb that no list of verbs has": (
        "Rework the queue so that `pop()` returns the oldest job. An empty queue returns None.",
        ("Rework the queue", "An empty queue"),
    ),
    "a need for a function": (
        "Package `post` needs `price(grams)`. Up to 500 g it is 4.50. Above that it is 6.90.",
        ("Package `post` needs", "Up to 500 g", "Above that"),
    ),
    "words of the product that are also those of a process": (
        "Write `send(kind)`. It must not send what is marketing. A ticket of the team is closed.",
        ("Write `send(kind)`", "It must not send", "A ticket of the team"),
    ),
    "functions with what they do behind a colon": (
        "`dose(kg)`: 15 mg for each kg. Below 3 kg there is no dose: raise `TooLight`.",
        ("`dose(kg)`: 15 mg", "Below 3 kg there is no dose: raise"),
    ),
    "an item that tells of the past in its object": (
        "Wanted:\n\n- `--mi` prints miles\n- a last line says how many breaks there were\n",
        ("`--mi` prints", "a last line says"),
    ),
    "background whose main clause is about people": (
        "When a group comes, we hand out single seats. Add `block(row)`. It returns an index.",
        ("Add `block(row)`", "It returns"),
    ),
    "lines that git and forges put below a message": (
        "Add `ratio(a, b)`. (fixes #4)\n\nFixes #12\nRefs: org/app#7\n\n"
        "🤖 Generated with [Agent](https://agent.example)\n\nCo-authored-by: Ann <a@b.c>\n---\n",
        (),
    ),
    "tests as the work": ("Raise the coverage of src/cart.py. Write tests for the discounts.", ()),
    "definition of done": (
        "Ship dark mode.\n\nDefinition of done:\n- the toggle is in the settings\n"
        "- the choice survives a restart\n- docs updated\n- reviewed by a designer\n",
        ("the toggle is in", "the choice survives"),
    ),
    "all tests pass beside it": (
        "Add `median()` to stats.py. All tests must pass.",
        ("Add `median()`", "All tests must pass"),
    ),
    "a long introduction": (
        "Our import takes CSV files from banks. Each bank has its own format. We read the header "
        "to find the format. Some banks now send files without a header. For these files, guess "
        "the format from the number of columns. If two formats fit, raise AmbiguousFormat.",
        ("For these files, guess", "If two formats fit"),
    ),
    "the template of a feature request": (
        "**Is your feature request related to a problem? Please describe.**\n"
        "I have to type the token each time. I always need to look it up.\n\n"
        "**Describe the solution you'd like**\nThe CLI should read the token from the keyring.\n\n"
        "**Describe alternatives you've considered**\nA file. It should be hidden then.\n\n"
        "**Additional context**\nAdd any other context or screenshots here.\n",
        (),
    ),
    "criteria and tasks": (
        "# Search\n\n## Acceptance criteria\n- an empty query finds nothing\n"
        "- case does not matter\n\n## Tasks\n1. [ ] add an index\n2. [ ] add a search field\n",
        ("an empty query", "case does not matter"),
    ),
    "a list of demands": (
        "Speed up the start. It should be below 100 ms.\n\nDemands:\n- no import of numpy\n"
        "- the cache is written once\n\nRequirements:\n- Python 3.11\n- Linux\n",
        ("no import of numpy", "the cache is written"),
    ),
    "what follows a demand with its cause": (
        "Show the price with tax. Two customers have complained about this since March. "
        "Their accountants add the tax by hand.",
        (),
    ),
    "an issue with a question at its end": (
        "`retry()` gives up after the first timeout. It should try again up to three times. "
        "Does anybody know why we did this? I would look at the old ticket first.",
        (),
    ),
    "camel case and paths": (
        "Rename `getUser` to `findUser` in src/api.ts. Return null, not undefined, for an unknown id.",
        ("Rename `getUser`", "Return null"),
    ),
    "a list that states what nothing asks for": (
        "Our site has dead links again and again.\n\n- `links(html)` finds the targets of a page.\n"
        "- Links to other sites are left alone.\n",
        ("`links(html)` finds", "Links to other sites"),
    ),
    "a list of symptoms": (
        "The import fails on Mondays.\n\n- The log has two entries.\n- The file is empty.\n",
        (),
    ),
    "a list of what was seen": (
        "Here is what we saw:\n\n- The log was empty.\n- Users complain about it.\n",
        (),
    ),
    "one of something for each of another": (
        "Add `load(text)`. Return the rows and a list of warnings, with one warning for each row that "
        "is empty.",
        ("Add `load(text)`", "Return the rows", "with one warning"),
    ),
    "a line below a list that is not wrapped": (
        "Add to lib.sh:\n- `human KIB` which formats sizes\n- `limit_for MOUNT` which looks up the "
        "limit (percent) for a mount point in the file named by $LIMITS (lines of two words), 90 if "
        "it has none\ncheck.sh must use both: the limit of each mount point, and `human`.\n",
        ("`human KIB`", "`limit_for MOUNT`", "check.sh must use both"),
    ),
    "an abbreviation before a small letter": (
        "Skip the holidays (incl. those of Easter). Raise ValueError for a negative number.",
        ("Skip the holidays (incl. those", "Raise ValueError"),
    ),
    "a sentence below a list, at the margin": (
        "backup.sh needs a `-n` option:\n* with -n it prints each file and copies nothing\n"
        "* an unknown option exits 64\nCover both in test/run.sh.",
        ("with -n it prints", "an unknown option"),
    ),
    "nothing may happen": (
        "createUser must validate its input.\n- a blank name -> status 400\n"
        '- an email without @ -> "email is invalid"\nNothing may be stored in these cases.',
        ("a blank name", "an email without", "Nothing may be"),
    ),
    "expected, behind what is wrong": (
        "slugify cuts words in half\n\nWe saw this on production.\n\nExpected: the slug is cut at a "
        "word boundary. A single long word is still cut hard.\nPlease add a regression test.",
        ("the slug is cut", "A single long"),
    ),
    "requests behind a colon": (
        "m('5m30') returns nonsense: reject trailing text with -1, and support days.",
        ("reject trailing", "support days"),
    ),
    "a request beside one about tests": (
        "toCsv breaks on commas. Quote them and add an option for the separator. Add tests.",
        ("Quote them", "add an option"),
    ),
    "tests describe it": (
        "tests/test_coupon.py describes the coupons we want. Implement coupon.py.",
        (),
    ),
    "a lead-in counts what will come": (
        "words.py should learn two options. With --json it prints one object. With -i it counts "
        '"The" and "the" as the same word. A file that is not there must end with exit code 2.',
        ("With --json", "With -i", "A file that"),
    ),
    "where the code goes": (
        "Please put the cleaning into a new module contacts/cleaning.py. load() should drop rows "
        "whose email was seen before. Phone numbers must be stored with digits only.",
        ("load() should", "Phone numbers"),
    ),
}
