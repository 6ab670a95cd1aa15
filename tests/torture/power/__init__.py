"""The power goes: what was acknowledged is there when it comes back, and nobody is accused of what the disk did."""
