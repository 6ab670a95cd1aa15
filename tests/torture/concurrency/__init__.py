"""Many at once on one loop: nothing is lost or doubled, one drives, and nobody is locked out."""
