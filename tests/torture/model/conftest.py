"""The mutants take half an hour: they are met by `make torture` alone."""

from tests.torture.size import FIGURES

collect_ignore = [] if FIGURES else ["test_mutants.py"]
