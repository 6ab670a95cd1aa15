"""Every environment variable that Loopwright reads: which files read it, and what it means.

tests/test_environment.py compares these tables with the source. It fails for a variable without a
row, for a row that nothing reads and for a wrong file name.
"""

# A file is named below src/loopwright. The order is the order of the table in docs/settings.md.
VARIABLES: dict[str, tuple[tuple[str, ...], str]] = {
    "LOOP_BUDGET": (("cli/start/request.py",), "like `--budget` of `start`; the flag wins"),
    "LOOP_MAX_ITERATIONS": (
        ("cli/start/request.py",),
        "like `--iterations` of `start`; the flag wins",
    ),
    "LOOP_SHAPE": (
        ("cli/start/request.py",),
        "like `--shape` of `start`: `auto`, `tool` or `colleague`; the flag wins",
    ),
    "LOOP_HEADLESS": (
        ("cli/start/request.py",),
        "`1`, `true` or `yes`: tool-shaped, no questions, no gates; a vague spec exits 5",
    ),
    "LOOP_CHILD": (
        (
            "agents/shell_variables.py",
            "hook/edited.sh",
            "hook/entry.py",
            "hook/gate.sh",
            "plugin/claude/hooks/incomplete.sh",
        ),
        "set by `loop run` for its agent: our hooks stay silent, "
        "and `loop` knows that an agent types",
    ),
    "LOOP_SESSION": (
        ("agents/claude/hooks.py", "cli/start/typed_arguments.py", "hook/host_call.py"),
        "the id of a session: like `--session` of `start`; a one-shot run such as `claude -p` with "
        "this session id may drive a free loop. `*`: any session may",
    ),
    "LOOP_FLEET_DATABASE": (
        ("fleet/settings.py",),
        "like `--database` of `loop fleet`; the option wins, and it wins over `loop fleet init`",
    ),
    "LOOP_SANDBOX": (
        ("cli/fleet/job_request.py", "cli/sandbox_request.py"),
        "like `--sandbox` of `run`; the flag wins. `off` also leaves checks outside",
    ),
    "LOOP_INBOX": (
        ("cli/here.py", "drive/inbox.py", "store/folder.py"),
        "set by `loop run` for an agent in a sandbox: where its claims and notes go",
    ),
    "SANDBOX_RUNTIME": (
        ("store/folder.py",),
        "set by Claude Code's own sandbox, which hides our state folder from a command",
    ),
    "COLUMNS": (("cli/command_parser.py",), "the width of `--help`"),
    "NO_COLOR": (("cli/output.py",), "no colours"),
    "TERM": (
        ("cli/commands/watch.py", "cli/output.py", "cli/terminal_title.py"),
        "`dumb`: no colours, no title; `loop watch` prints the board once",
    ),
    "XDG_STATE_HOME": (
        (
            "disk/user_folders.py",
            "hook/edited.sh",
            "hook/entry.py",
            "hook/gate.sh",
            "hook/halt.sh",
        ),
        "where the user's state is; without it `~/.local/state`",
    ),
    "XDG_CONFIG_HOME": (
        (
            *("agents/opencode/about.py", "agents/wiring.py", "sandbox/git_settings.py"),
            "store/config.py",
        ),
        "where the user's settings are, ours and those of OpenCode and git; without it `~/.config`",
    ),
    "XDG_CACHE_HOME": (
        ("hook/gate.sh", "plugin/claude/bin/loop"),
        "where the path of Python and compiled files are cached; without it `~/.cache`",
    ),
    "HOME": (
        (
            "disk/user_folders.py",
            "hook/edited.sh",
            "hook/entry.py",
            "hook/gate.sh",
            "hook/halt.sh",
            "plugin/claude/bin/loop",
        ),
        "the user's home folder; the search for a loop stops below it. "
        "Unset or unusable: the user database says it",
    ),
    "USERPROFILE": (("hook/entry.py",), "the same on Windows"),
    "PATH": (
        (
            *("agents/process.py", "cli/detached_run.py", "disk/programs.py"),
            *("drive/lane_checkout.py", "repo/git.py"),
        ),
        "where the program of an agent is found, and ours outside the project; "
        "kept with a run, so that it can be resumed; "
        "in a lane its folders in the project are those of the lane",
    ),
    "PYTHONPATH": (
        ("drive/lane_checkout.py",),
        "for the checks of a lane: its folders in the project become those of the lane",
    ),
    "NODE_PATH": (("drive/lane_checkout.py",), "the same"),
    "VIRTUAL_ENV": (("drive/lane_checkout.py",), "the same"),
    "PWD": (
        ("drive/lane_checkout.py", "hook/edited.sh", "hook/gate.sh", "hook/halt.sh"),
        "the folder of the session: the search for a loop begins there",
    ),
    "CLAUDE_PROJECT_DIR": (
        (
            "cli/here.py",
            "hook/edited.sh",
            "hook/entry.py",
            "hook/gate.sh",
            "hook/halt.sh",
            "hook/typed_commands.py",
        ),
        "set by Claude Code: the project of the session; searched when its folder has no loop",
    ),
    "CLAUDE_CODE_SESSION_ID": (
        (
            "agents/shell_variables.py",
            "cli/start/typed_arguments.py",
            "hook/edited.sh",
            "hook/gate.sh",
            "hook/halt.sh",
        ),
        "set by Claude Code: the session that `start` and `attach` give the lease to; "
        "`loop` knows by it that an agent types",
    ),
    "CLAUDE_CODE_SESSION_ATTENDED": (
        ("agents/claude/hooks.py",),
        "set by Claude Code: `0` in a one-shot run, which never drives a free loop",
    ),
    "CLAUDE_CODE_ENTRYPOINT": (
        ("agents/claude/hooks.py", "hook/one_shot.py"),
        "set by Claude Code: a value that begins with `sdk` is a one-shot run too",
    ),
    "CLAUDECODE": (
        ("agents/shell_variables.py",),
        "set by Claude Code for its shells: `loop` knows by it that an agent types",
    ),
    "AI_AGENT": (
        ("agents/shell_variables.py", "hook/sender.py"),
        "set by coding agents for their shells: `loop` knows by it that an agent types; "
        "an order from a shell, where it ends with `_agent`, is refused",
    ),
    "CLAUDE_PID": (
        (
            "agents/claude/hooks.py",
            "cli/start/typed_arguments.py",
            "hook/one_shot.py",
            "hook/sender.py",
            "hook/typed_commands.py",
        ),
        "set by Claude Code: the process that holds the lease and gives the orders",
    ),
    "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": (
        ("agents/claude/hooks.py", "drive/doctor/client.py"),
        "how many answers without a tool call Claude Code lets a Stop hook hold in a row",
    ),
    "CLAUDE_PLUGIN_ROOT": (
        (
            "hook/crash.py",
            "hook/dispatch.py",
            "hook/halt.sh",
            "plugin/alias.py",
            "plugin/claude/skills/start/SKILL.md",
            "plugin/hooks_json.py",
        ),
        "set by Claude Code: the folder of our plugin; "
        "with it, messages spell commands as `/loop:…`",
    ),
    "CLAUDE_PLUGIN_DATA": (
        ("hook/gate.sh", "plugin/hooks_json.py"),
        "set by Claude Code: the folder for the plugin's data, used instead of the cache folder",
    ),
    "ARGUMENTS": (
        ("hook/dispatch.py",),
        "the JSON of a hook event, for clients that pass it this way instead of on stdin",
    ),
    "CLAUDE_CONFIG_DIR": (
        ("agents/claude/paths.py", "agents/process.py"),
        "the settings folder of Claude Code; without it `~/.claude`. Passed on to the agent",
    ),
    "CLAUDE_CODE_OAUTH_TOKEN": (
        ("agents/process.py",),
        "a setting of Claude Code. Passed on to the agent",
    ),
    "CLAUDE_CODE_USE_BEDROCK": (
        ("agents/process.py",),
        "a setting of Claude Code. Passed on to the agent",
    ),
    "CLAUDE_CODE_USE_VERTEX": (
        ("agents/process.py",),
        "a setting of Claude Code. Passed on to the agent",
    ),
    "CLAUDE_CODE_MAX_RETRIES": (
        ("agents/process.py",),
        "a setting of Claude Code. Passed on to the agent",
    ),
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": (
        ("agents/process.py",),
        "a setting of Claude Code. Passed on to the agent",
    ),
    "CODEX_HOME": (
        ("agents/codex/about.py",),
        "the settings folder of Codex; without it `~/.codex`",
    ),
    "GEMINI_CLI_HOME": (
        ("agents/gemini/wiring.py",),
        "what Gemini CLI takes for the home: its settings are in `.gemini` below it",
    ),
    "QWEN_HOME": (
        ("agents/qwen/wiring.py",),
        "the settings folder of Qwen Code; without it `~/.qwen`",
    ),
    "COPILOT_HOME": (
        ("agents/copilot/about.py", "agents/copilot/wiring.py", "drive/clients/client_sandbox.py"),
        "the settings folder of Copilot CLI; without it `~/.copilot`",
    ),
    "CODEX_THREAD_ID": (
        ("agents/shell_variables.py",),
        "set by Codex in its agent's shells: the session; `loop` knows by it that an agent types",
    ),
    "COPILOT_CLI": (
        ("hook/dispatch.py",),
        "set by Copilot CLI for hooks: one that was registered for another client stays silent",
    ),
    "COPILOT_AGENT_SESSION_ID": (
        ("agents/shell_variables.py",),
        "the same, set by Copilot CLI",
    ),
    "QWEN_CODE_SESSION_ID": (
        ("agents/shell_variables.py",),
        "set by Qwen Code: the session",
    ),
    "QWEN_CODE": (
        ("agents/shell_variables.py",),
        "set by Qwen Code in its agent's shells: `loop` knows by it that an agent types",
    ),
    "GEMINI_CLI": (
        ("agents/shell_variables.py",),
        "the same, set by Gemini CLI",
    ),
    "OPENCODE": (
        ("agents/shell_variables.py",),
        "the same, set by OpenCode",
    ),
    "QWEN_CODE_STOP_HOOK_BLOCK_CAP": (
        ("agents/qwen/hooks.py",),
        "how many answers to one prompt Qwen Code lets a Stop hook hold",
    ),
    "JUNIE_STOP_HOOK_BLOCK_CAP": (
        ("agents/junie/hooks.py",),
        "the same for Junie",
    ),
}

# Files that take every variable, to pass it on to a process or to find secret values.
WHOLE_ENVIRONMENT: dict[str, str] = {
    "agents/acp/client.py": "an agent that speaks the Agent Client Protocol gets what our client "
    "of it got",
    "agents/process.py": "an agent gets all variables except credentials of others and those of "
    "the Claude Code session that `loop run` may be in",
    "cli/detached_run.py": "a detached runner gets all variables",
    "disk/programs.py": "a program of ours, and the notification command, gets all variables "
    "except lists of folders with code that an agent can write",
    "drive/doctor/host.py": "the hook of a client that `loop doctor` tries gets all variables "
    "except those of an agent",
    "drive/redaction.py": "looks for the values of variables with secret-looking names",
    "drive/runner/agent_box.py": "a git of ours that writes gets all variables except GIT_*",
    "drive/runner/attempts.py": "the runner of an attempt gets all variables",
    "drive/second_eyes/agent.py": "a probe of the sandbox of checks gets all variables",
    "drive/runner/lane_secrets.py": "the names of authors are no secrets",
    "fleet/settings.py": "a worker takes the address of its database out, so that agents and "
    "checks do not see it",
    "fleet/work.py": "`loop start` of a job gets all variables except ours",
    "hook/dispatch.py": "hands the environment to agents/claude/hooks.py, which reads it by name",
    "mcp/commands.py": "a command that a tool of `loop mcp` runs gets all variables, and AI_AGENT",
    "cli/commands/sandbox.py": "a command that is tried in a sandbox gets all variables",
    "store/chosen_sandbox.py": "looks for the folders with the logins of agents",
    "sandbox/git_settings.py": "looks for programs that git would run (GIT_EDITOR, GIT_PAGER, …)",
    "sandbox/places.py": "looks for the folders of toolchains (CARGO_HOME, GOPATH, NVM_DIR, …)",
    "repo/git.py": "git gets all variables except GIT_*",
    "repo/plumbing.py": "the same in a sandbox",
    "verify/redact.py": "removes the values of variables with secret-looking names",
    "verify/runner.py": "a check gets all variables except credentials",
}
