"""Show the loops of this machine in a browser: the board, and each loop as it works.

Only this machine can reach it, and only through the link that is printed. It reads; with --control
the page can also answer questions, pause, continue, steer and cancel. The jobs of your fleet are
shown too.
"""

from __future__ import annotations

import argparse
import re
from contextlib import suppress

from ...drive.errors import UserError, WrongValue
from .. import exits, output
from ..argument_kinds import add_switch, add_values
from ..further_loops import find_further_loops

EXAMPLES = """  loop serve
  loop serve --control                       # the page may answer, pause, continue and cancel
  loop serve --link --allow-host my.tunnel   # for your phone, through a tunnel of your own"""
HOST_NAME = r"[\w.-]+(:\d+)?|\[[0-9a-fA-F:]+\](:\d+)?"  # as the header Host has it
MISSING_EXTRA = (
    'the web page needs starlette and uvicorn. Install them: pip install "loopwright[web]"'
)


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port", type=int, default=0, metavar="N", help="the port (default 8765, or a free one)"
    )
    add_switch(parser, "--control", "let the page give orders (default: it only reads)")
    add_switch(
        parser,
        "--link",
        "print a one-time link for each question; it answers that question and nothing else",
    )
    add_values(
        parser,
        "--allow-host NAME",
        "also answer requests under this name, such as that of your own tunnel",
    )


def run(args: argparse.Namespace) -> int:
    try:
        from ...web.access import new_access
        from ...web.server import bind_port, make_server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio"):
            raise
        raise UserError(MISSING_EXTRA) from error
    if not 0 <= args.port < 65536:
        raise WrongValue(f"--port takes a number from 1 to 65535, not {args.port}")
    hosts = tuple(host.strip() for host in args.allow_host)
    if wrong := [host for host in hosts if not re.fullmatch(HOST_NAME, host)]:
        raise WrongValue(f"--allow-host takes the name of a host alone, not {wrong[0]!r}")
    listener = bind_port(args.port)
    port = listener.getsockname()[1]
    access = new_access(port, args.control, hosts)
    output.show_text(f"Open: http://127.0.0.1:{port}/?token={access.token}")
    for host in hosts:
        output.show_text(f"Through your tunnel: https://{host}/?token={access.token}")
    mode = "It may give orders." if args.control else "It only reads; orders: loop serve --control."
    output.show_text(f"{mode} Ctrl-C ends it; the loops are not affected.")
    base = f"https://{hosts[0]}" if hosts else f"http://127.0.0.1:{port}"

    def print_link(path: str, question: str) -> None:
        output.show_text(f"Answer once: {base}{path}   ({question})")

    with suppress(KeyboardInterrupt):  # the usual way to end it
        server = make_server(access, print_link if args.link else None, find_further_loops())
        server.run(sockets=[listener])
    return exits.PROVEN
