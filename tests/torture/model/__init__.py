"""What is decided, and how: every path in a small world, agents that lie, hostile words, and broken copies of the rules."""
