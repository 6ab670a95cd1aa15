"""The gauntlet: agents, people and disks at their worst, through the real door and the real runner, judged turn by turn."""
