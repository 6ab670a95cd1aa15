"""How much memory, how many processes and how much disk a command in a sandbox may use.

A small program outside the sandbox starts it, adds up what everything inside uses, and ends all of
it above a bound. Where this user may make control groups, the kernel bounds memory and processes.
An rlimit bounds the size of one file. The other rlimits are no help: that of memory holds for each
process, and those of address space and data break what only reserves memory, such as sanitizers;
that of processes counts all of the user's, and none of root's.
"""

from __future__ import annotations

import os
import sys

from ..core.record import Record
from .control_groups import join_folders

GIGABYTE = 1 << 30
MOST_MEMORY = 8  # gigabytes, or half of the machine if that is less
PERL = "/usr/bin/perl"
# By the machine: the numbers of prctl and prlimit64.
NUMBERS = {"x86_64": (157, 302), "aarch64": (167, 261)}
# It ends with its parent, and has the name of the launcher, which our signals look for. Pages that
# processes share are counted for each at first; only a sum above the bound is looked at closely.
WATCH = r"""
my ($prctl, $prlimit, $memory, $tasks, $disk, $groups) = splice(@ARGV, 0, 6);
syscall($prctl + 0, 1, 9, 0, 0, 0);
for (split /:/, $groups) { open(F, '>', "$_/cgroup.procs") and print F $$; close F }
syscall($prlimit + 0, 0, 1, pack('QQ', $disk, $disk), 0) if $disk;
my $child = fork();
if (!$child) { exec { $ARGV[0] } @ARGV; print STDERR "$ARGV[0]: $!\n"; exit 127 }
$0 = 'bwrap'; $SIG{INT} = $SIG{TERM} = $SIG{HUP} = 'IGNORE';
sub total { my ($name, $field, @of) = @_; my $sum = 0;
  for (@of) { open(F, '<', "/proc/$_/$name") or next;
    while (<F>) { $sum += $1 if /^$field: +(\d+)/ } close F }
  return $sum }
sub excess { my (%below, %bytes, %threads); opendir(D, '/proc');
  for my $pid (grep { /^\d+$/ } readdir D) {
    open(F, '<', "/proc/$pid/stat") or next; my $line = <F> // ''; close F;
    my ($rest) = $line =~ /^\d+ \(.*\) (.*)/s or next; my @f = split ' ', $rest;
    push @{$below{$f[1]}}, $pid; $threads{$pid} = $f[17]; $bytes{$pid} = $f[21] * 4096 }
  my @all = ($child); for (my $i = 0; $i < @all; $i++) { push @all, @{$below{$all[$i]} || []} }
  my ($used, $count) = (0, 0); for (@all) { $used += $bytes{$_} // 0; $count += $threads{$_} // 0 }
  return "$tasks processes and threads" if $tasks && $count > $tasks;
  return sprintf('%.1f GB of memory', $memory / 2**30)
    if $memory && $used > $memory && 1024 * total('smaps_rollup', 'Pss', @all) > $memory;
  return sprintf('%.1f GB written', $disk / 2**30)
    if $disk && total('io', 'write_bytes', @all) > $disk;
  return '' }
my $why = '';
$SIG{ALRM} = sub { if ($why = excess()) { kill 9, $child } else { alarm 1 } };
alarm 1; waitpid($child, 0); my $code = $?;
print STDERR "\n[LOOP] The sandbox ended this: more than $why. See: loop sandbox show\n" if $why;
exit($code & 127 ? 128 + ($code & 127) : $code >> 8);
"""


class Bounds(Record):
    """The most that a command and everything that it starts may use; 0: no bound."""

    memory: int = 0  # bytes
    processes: int = 0  # with their threads
    disk: int = 0  # bytes written, and the size of one file


def usual_bounds(memory: float, processes: int, disk: float) -> Bounds:
    """The bounds of these settings, in gigabytes; the default of memory depends on the machine."""
    most = memory * GIGABYTE
    if memory == MOST_MEMORY:
        most = min(most, machine_memory() / 2 or most)
    return Bounds(int(most), processes, int(disk * GIGABYTE))


def machine_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 0


def can_watch() -> bool:
    """Is there a /proc to look at, and the program that does?"""
    is_known = sys.platform.startswith("linux") and os.uname().machine in NUMBERS
    return is_known and os.access(PERL, os.X_OK)


def watch_words(bounds: Bounds) -> tuple[str, ...]:
    """The words before the launcher of a sandbox that keep it in these bounds."""
    if bounds == Bounds() or not can_watch():
        return ()
    folders = join_folders(bounds.memory, bounds.processes)
    numbers = (*NUMBERS[os.uname().machine], bounds.memory, bounds.processes, bounds.disk)
    return (PERL, "-e", WATCH, *map(str, numbers), ":".join(folders))


def bounds_text(bounds: Bounds) -> str:
    """The bounds of this machine in one sentence, and what keeps them."""
    if bounds == Bounds() or not can_watch():
        return "none (they need Linux and perl)"
    is_grouped = bool(join_folders(bounds.memory, bounds.processes))
    kept = "by a control group" if is_grouped else "measured every second"
    return (
        f"{bounds.memory / GIGABYTE:.1f} GB of memory and {bounds.processes} processes ({kept}), "
        f"{bounds.disk / GIGABYTE:.0f} GB written (measured every second; one file: by an rlimit)"
    )
