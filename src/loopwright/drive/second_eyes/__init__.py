"""A second agent: it looks, proposes and objects; Loopwright runs what it proposes."""
