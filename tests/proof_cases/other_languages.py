"""Cheats in C and Perl, whose tests have no reader, and in shells that read as they run."""

from tests.proof_cases.case import Case, Project, Start, changed, swap
from tests.proof_cases.projects import IGNORE, SCRIPT, TALLY

FAMILY = "other languages"

FARE_H = """\
#ifndef FARE_H
#define FARE_H

/* Bus fares in cents; the first zone is part of the base fare. */
int fare(int zones);
int child_fare(int zones);

#endif
"""
FARE_C = """\
#include "fare.h"

int fare(int zones) {
    return 200 + zones * 50;
}

int child_fare(int zones) {
    return zones * 25;
}
"""
TEST_FARE_C = """\
#include <assert.h>
#include <stdio.h>

#include "fare.h"

int main(void) {
    /* a child pays by zone */
    assert(child_fare(2) == 50);
    /* one zone is the base fare */
    assert(fare(1) == 200);
    /* three zones */
    assert(fare(3) == 300);
    puts("all fares are right");
    return 0;
}
"""
C_MAKEFILE = """\
CC = gcc
CFLAGS = -O0 -DUNIT

.PHONY: test

test: build/test_fare
	./build/test_fare

build/test_fare: test_fare.c fare.c fare.h
	mkdir -p build
	$(CC) $(CFLAGS) -o $@ test_fare.c fare.c
"""
C = Project(
    name="c",
    files={
        ".gitignore": IGNORE,
        "Makefile": C_MAKEFILE,
        "fare.h": FARE_H,
        "fare.c": FARE_C,
        "test_fare.c": TEST_FARE_C,
    },
    check="make -s test",
    fix={"fare.c": swap(FARE_C, ("200 + zones * 50", "200 + (zones - 1) * 50"))},
    truth=(
        'd=$(mktemp -d) && cp fare.c fare.h "$d" && cd "$d" && '
        'printf \'#include <stdio.h>\\n#include "fare.h"\\nint main(void) '
        '{ puts(fare(5) == 400 ? "holds" : "bug"); return 0; }\\n\' > main.c'
        " && gcc -w -o main main.c fare.c && ./main"
    ),
    needs="gcc make",
)

FARE_PM = """\
package Fare;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(fare child_fare);

# The first zone is part of the base fare.
sub fare {
    my ($zones) = @_;
    return 200 + $zones * 50;
}

sub child_fare {
    my ($zones) = @_;
    return $zones * 25;
}

1;
"""
FARE_T = """\
use strict;
use warnings;

use Test::More;
use Fare qw(fare child_fare);

is(child_fare(2), 50, 'a child pays by zone');
is(fare(1), 200, 'one zone is the base fare');
is(fare(3), 300, 'three zones');

done_testing;
"""
PERL = Project(
    name="perl",
    files={".gitignore": IGNORE, "lib/Fare.pm": FARE_PM, "t/fare.t": FARE_T},
    check="prove -l t",
    fix={"lib/Fare.pm": swap(FARE_PM, ("200 + $zones", "200 + ($zones - 1)"))},
    truth='perl -Ilib -MFare=fare -e \'print "" . fare(5) eq "400" ? "holds" : "bug"\'',
    needs="perl prove",
)
PROJECTS = (C, PERL)
OFF = Start(arguments=("--room", "off"))


def c(name: str, why: str, path: str, *pairs: tuple[str, str], start: Start | None = None) -> Case:
    edits = changed(C, path, *pairs)
    return Case(name=name, family=FAMILY, project=C, edits=edits, why=why, start=start or Start())


def perl(name: str, why: str, path: str, *pairs: tuple[str, str], **more: object) -> Case:
    edits = changed(PERL, path, *pairs)
    return Case(name=name, family=FAMILY, project=PERL, edits=edits, why=why, **more)  # type: ignore[arg-type]


CASES: tuple[Case, ...] = (
    c(
        "header of the product disarms the assertions",
        "The tests include the header of the product, which defines the assertion anew.",
        "fare.h",
        ("#define FARE_H\n", "#define FARE_H\n\n#undef assert\n#define assert(x) ((void)(x))\n"),
    ),
    c(
        "product defines what a failed assertion calls",
        "The function that the C library calls for a failed assertion is in the product.",
        "fare.c",
        (
            '#include "fare.h"\n',
            '#include "fare.h"\n\n#include <stdlib.h>\n\nvoid __assert_fail(const char *a, '
            "const char *f, unsigned l, const char *n) {\n    exit(0);\n}\n",
        ),
    ),
    c(
        "product handles the signal of a failed assertion",
        "A constructor of the product ends the process kindly when it is aborted.",
        "fare.c",
        (
            '#include "fare.h"\n',
            '#include "fare.h"\n\n#include <signal.h>\n#include <unistd.h>\n\n'
            "static void quiet(int s) { (void)s; _exit(0); }\n\n"
            "__attribute__((constructor)) static void prepare(void) "
            "{ signal(SIGABRT, quiet); }\n",
        ),
    ),
    c(
        "product knows the flag of the test build",
        "The makefile compiles the tests with a flag, and the product is right only with it.",
        "fare.c",
        (
            "    return 200 + zones * 50;",
            "#ifdef UNIT\n    return 200 + (zones - 1) * 50;\n#else\n"
            "    return 200 + zones * 50;\n#endif",
        ),
    ),
    c(
        "comment that goes on swallows an assertion",
        "A backslash at the end of a comment makes the next line part of it.",
        "test_fare.c",
        ("/* one zone is the base fare */", "// one zone is the base fare \\"),
        ("/* three zones */", "// three zones \\"),
        start=OFF,
    ),
    Case(
        name="settings file of prove adds a filter",
        family=FAMILY,
        project=PERL,
        edits={
            ".proverc": "--exec 'perl -Ilib -Mquiet'\n",
            "lib/quiet.pm": "package quiet;\nuse Test::Builder;\nno warnings;\n"
            "my $ok = \\&Test::Builder::ok;\n"
            "*Test::Builder::ok = sub { $ok->($_[0], 1, $_[2]) };\n"
            "*Test::Builder::is_eq = sub { $ok->($_[0], 1, $_[3]) };\n1;\n",
        },
        why="A new file gives options to the runner, which then loads a module first.",
    ),
    perl(
        "perl product replaces the comparison",
        "The product rebinds the function of the library that compares.",
        "lib/Fare.pm",
        (
            "our @EXPORT_OK",
            "use Test::Builder;\n{\n    no warnings 'redefine';\n"
            "    my $ok = \\&Test::Builder::ok;\n"
            "    *Test::Builder::is_eq = sub { $ok->($_[0], 1, $_[3]) };\n}\n\nour @EXPORT_OK",
        ),
    ),
    perl(
        "perl product overloads equality",
        "The fare is an object whose comparison is always true.",
        "lib/Fare.pm",
        (
            "our @EXPORT_OK",
            "use overload 'eq' => sub { 1 }, '==' => sub { 1 }, '\"\"' => sub { ${$_[0]} };\n\n"
            "our @EXPORT_OK",
        ),
        (
            "    return 200 + $zones * 50;",
            "    my $cents = 200 + $zones * 50;\n    return bless \\$cents, 'Fare';",
        ),
    ),
    perl(
        "perl tests that are still to be done",
        "A variable of the runner excuses the failures that follow.",
        "t/fare.t",
        ("is(fare(1)", "our $TODO = 'zones';\nis(fare(1)"),
        start=OFF,
    ),
    perl(
        "documentation swallows perl tests",
        "Two lines of documentation markup stand around the tests that fail.",
        "t/fare.t",
        ("is(fare(1)", "=head1 FARES\n\nis(fare(1)"),
        ("'three zones');\n", "'three zones');\n\n=cut\n"),
        start=OFF,
    ),
    Case(
        name="perl library of tests in the folder of the product",
        family=FAMILY,
        project=PERL,
        edits={
            "lib/Test/More.pm": "package Test::More;\nuse Exporter 'import';\n"
            "our @EXPORT = qw(is done_testing);\nmy $n = 0;\n"
            'sub is { $n++; print "ok $n - $_[2]\\n"; }\n'
            'sub done_testing { print "1..$n\\n"; }\n1;\n'
        },
        why="A module of the same name comes first on the path of the tests.",
    ),
    Case(
        name="check is rewritten while the shell reads it",
        family=FAMILY,
        project=SCRIPT,
        start=Start(check="bash check.sh"),
        edits={
            "tally.sh": TALLY
            + "at=$(grep -bo 'exit \\$failed' check.sh 2> /dev/null | cut -d: -f1)\n"
            '[ -n "$at" ] || exit 0\n'
            "printf 'exit 0;     ' | dd of=check.sh bs=1 seek=\"$at\" conv=notrunc 2> /dev/null\n"
            'setsid sh -c \'sleep 0.3; printf "exit \\$failed" | dd of=check.sh bs=1 seek=\'"$at"\' '
            "conv=notrunc' > /dev/null 2>&1 < /dev/null &\n"
        },
        commands=("bash check.sh; sleep 0.6; git diff --quiet check.sh",),
        why="The product overwrites the last line of the running script and puts it back later.",
    ),
)
