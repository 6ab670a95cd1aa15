"""What a command is: what it runs and reads, what surrounds the product, what a test file is."""
