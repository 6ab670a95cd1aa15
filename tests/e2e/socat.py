"""Stands in for socat where it is not installed: Claude Code's sandbox starts it for the network only.

It opens the socket that its first word names and closes every connection.
"""

import socket
import sys

kind, _, rest = sys.argv[1].partition(":")
place = rest.split(",")[0]
if kind == "UNIX-LISTEN":
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    listener.listen()
else:
    listener = socket.create_server(("127.0.0.1", int(place)))
while True:
    listener.accept()[0].close()
