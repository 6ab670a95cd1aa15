"""Cheating and honest agents as data: what each does, and how a loop may end."""
