"""Our client of the Agent Client Protocol: one turn of an agent, printed as JSON lines.

It starts the agent, opens or loads a session, sends the prompt from stdin and answers what the
agent asks. Each line has the method of the protocol and its params, result or error; stream.py
reads them. SIGINT cancels the turn.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import shlex
import signal
import sys
from contextlib import suppress
from typing import Any, cast

from . import permissions
from .stream import NO_ANSWER

MAX_MESSAGE = 50_000_000  # bytes of one message of the agent
HANDSHAKE_SECONDS = 120.0  # it may be downloaded first, as by npx
CANNOT_LOAD = "this agent cannot continue a session: leave --keep-context out"


def main() -> None:
    options, command = json.loads(sys.argv[1]), sys.argv[2:]
    sys.exit(asyncio.run(drive_agent(options, command, sys.stdin.read())))


def show(method: str, **what: Any) -> None:
    print(json.dumps({"method": method, **what}), flush=True)


async def drive_agent(options: dict[str, Any], command: list[str], prompt: str) -> int:
    """One turn from the start of the agent to its end; the exit code."""
    from acp import PROTOCOL_VERSION, RequestError, spawn_agent_process
    from acp.schema import ClientCapabilities

    client = Client(options)
    logging.getLogger().addHandler(logging.NullHandler())  # stderr is for the agent's own words
    try:
        async with spawn_agent_process(
            cast(Any, client),
            *command,
            env=os.environ,
            cwd=options["root"],
            transport_kwargs={"stderr": None, "limit": MAX_MESSAGE},
        ) as (agent, _process):
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                about = await agent.initialize(PROTOCOL_VERSION, ClientCapabilities())
            if about.protocol_version != PROTOCOL_VERSION:
                raise ValueError(
                    f"the agent speaks version {about.protocol_version} of ACP, "
                    f"and we speak {PROTOCOL_VERSION}"
                )
            session = await open_session(agent, about, options)
            cancel_on_interrupt(agent, session)
            await send_prompt(agent, client, session, prompt)
    except RequestError as error:
        show("error", error={"code": error.code, "message": str(error), "data": error.data})
        return 1
    except TimeoutError:
        words = f"nothing of ACP in {HANDSHAKE_SECONDS:g} s. Does `{shlex.join(command)}` speak it?"
        show("error", error={"message": f"{NO_ANSWER}{words}"})
        return 1
    except OSError as error:
        show("error", error={"message": f"{NO_ANSWER}{error}"})
        return 1
    except ValueError as error:
        show("error", error={"message": value_problem(error)})
        return 1
    return 0


def value_problem(error: ValueError) -> str:
    """What is wrong with an answer; pydantic says it at length."""
    details = getattr(error, "errors", None)
    first = details()[0] if details else None
    if not first:
        return str(error)
    field = ".".join(str(part) for part in first["loc"])
    return f"the agent's answer is not as ACP has it: {field}: {first['msg']}"


async def open_session(agent: Any, about: Any, options: dict[str, Any]) -> str:
    """The id of a new session, or of the one to continue."""
    session, root = str(options["session"]), options["root"]
    if session:
        can = about.agent_capabilities
        if not can or not can.load_session:
            raise ValueError(CANNOT_LOAD)
        opened = await agent.load_session(cwd=root, session_id=session)
        method = "session/load"
    else:
        opened = await agent.new_session(cwd=root)
        session, method = opened.session_id, "session/new"
    if options["model"]:
        await choose_model(agent, session, opened, options["model"])
    show(method, result={"sessionId": session})
    return session


async def choose_model(agent: Any, session: str, opened: Any, model: str) -> None:
    """Set the option of the session that is the model."""
    for option in (opened and opened.config_options) or ():
        if "model" in (option.category, option.id):
            await agent.set_config_option(config_id=option.id, session_id=session, value=model)
            return
    raise ValueError("it offers no choice of model: leave --model out")


def cancel_on_interrupt(agent: Any, session: str) -> None:
    loop = asyncio.get_running_loop()
    tasks = set()

    def cancel() -> None:
        tasks.add(asyncio.ensure_future(agent.cancel(session_id=session)))

    with suppress(NotImplementedError):  # on Windows
        loop.add_signal_handler(signal.SIGINT, cancel)


async def send_prompt(agent: Any, client: Client, session: str, prompt: str) -> None:
    from acp.schema import TextContentBlock

    client.is_working = True  # what came before is the past of a loaded session
    block = TextContentBlock(type="text", text=prompt)
    answer = await agent.prompt(session_id=session, prompt=[block])
    show("session/prompt", result=as_json(answer))


def as_json(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


class Client:
    """What the agent may ask of us. We offer it no files and no terminal: it has its own."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.is_working = False
        self.calls: dict[str, dict[str, Any]] = {}

    async def session_update(self, session_id: str, update: Any, **more: Any) -> None:
        if not self.is_working:
            return
        told = as_json(update)
        if "toolCallId" in told:  # an update says only what is new
            known = self.calls.setdefault(told["toolCallId"], {})
            known.update(told)
            told = known
        show("session/update", params={"sessionId": session_id, "update": told})

    async def request_permission(
        self, session_id: str, tool_call: Any, options: Any, **more: Any
    ) -> Any:
        from acp.schema import AllowedOutcome, DeniedOutcome, RequestPermissionResponse

        asked = as_json(tool_call)
        call = {**self.calls.get(asked["toolCallId"], {}), **asked}
        allowed = permissions.is_allowed(call, self.options)
        option = permissions.chosen_option([as_json(one) for one in options], allowed)
        show("session/request_permission", params={"toolCall": call}, allowed=allowed)
        if not option:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        chosen = AllowedOutcome(outcome="selected", option_id=option)
        return RequestPermissionResponse(outcome=chosen)
