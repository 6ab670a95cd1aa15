"""One module for each language: the kinds of weakening that bench/ratchet.py --weaken applies."""
