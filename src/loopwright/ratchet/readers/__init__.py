"""What test files, settings and scripts say, in every language; nothing is judged here."""
