"""What `loop doctor` looks at."""
