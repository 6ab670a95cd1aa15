"""Ended loops: their records, audits, rewinds."""
