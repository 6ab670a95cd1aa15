"""Rules about what lies around the files of the project, on this machine and in git."""
