"""Errors that a person can fix."""

from __future__ import annotations


class UserError(Exception):
    """What is wrong, where, and how to fix it. The text is shown as it is."""


class WaitsForPerson(UserError):
    """The command cannot work before a person answers or allows something."""


class WrongValue(UserError):
    """A value on the command line that its option or command does not take."""
