"""Telling a person who is away."""
