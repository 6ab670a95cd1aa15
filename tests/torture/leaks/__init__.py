"""What somebody else writes runs nothing, ends nothing, shows no secret, moves no cursor and fills no disk."""
