"""The fleet: many loops on many machines. A worker drives one job in each of its slots."""
