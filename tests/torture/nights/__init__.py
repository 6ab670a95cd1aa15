"""Nights of eight simulated hours with the real runner process: faults at random, and how each ends."""
