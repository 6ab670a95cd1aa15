"""Night after night in one process: whatever goes wrong in them, nothing of it is left in the morning."""
