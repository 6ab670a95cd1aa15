"""The formats of plan files that other tools write: one module each, all pure."""
