"""`loop serve`: the loops of this machine in a browser (extra `web`)."""
