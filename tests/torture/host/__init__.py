"""The real client on its own terms: short sessions whose last message is not on disk yet, and its own brake."""
