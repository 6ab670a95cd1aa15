"""Names of folders, files and variables: toolchains, caches, sockets and logins of agents."""

from __future__ import annotations

from ..core.record import Record

# Of these only some parts are shown: a token lies beside them.
DOTNET_PARTS = ("dotnet", "host", "packs", "sdk", "sdk-manifests", "shared", "templates", "tools")
BUN_PARTS = ("bin", "install")
MISE_PARTS = ("bin", "installs", "plugins", "shims")
# Below the home folder. A name ends the search: what lies beside it stays hidden.
TOOL_FOLDERS = (
    *(".cargo/bin", ".cargo/env", ".cargo/config.toml", ".rustup", ".nvm", ".fnm", ".volta"),
    *(".local/share/fnm", ".local/bin", ".local/lib", ".local/pipx", ".local/share/pipx"),
    *(".local/share/uv/python", ".local/share/uv/tools", ".local/share/pnpm"),
    *(".local/share/claude", ".local/share/gem/ruby", ".gem/ruby", ".gem/jruby", ".deno/bin"),
    *(".pyenv", ".rbenv", ".rvm", ".asdf", ".sdkman", ".jenv", ".ghcup", ".opam"),
    *(".conda/envs", ".conda/pkgs", "miniconda3", "anaconda3", "miniforge3"),
    *(".nix-profile", ".npm-global", "go/bin", "sdk", ".gitconfig", ".config/git/config"),
    *(".config/git/ignore", ".gitignore_global", ".gitignore"),
    *(f".dotnet/{part}" for part in DOTNET_PARTS),
    *(f".bun/{part}" for part in BUN_PARTS),
    *(f".local/share/mise/{part}" for part in MISE_PARTS),
)
# They name the folder of a toolchain.
TOOL_HOMES = (
    *("VIRTUAL_ENV", "CONDA_PREFIX", "JAVA_HOME", "RUSTUP_HOME", "GOROOT", "NVM_DIR"),
    *("PYENV_ROOT", "RBENV_ROOT", "ASDF_DATA_DIR", "VOLTA_HOME", "DENO_DIR", "PNPM_HOME"),
    *("SDKMAN_DIR", "GOMODCACHE"),
)
PARTLY_SHOWN = {
    "CARGO_HOME": ("bin", "registry", "git", "config.toml"),
    "GOPATH": ("bin", "pkg"),
    "DOTNET_ROOT": DOTNET_PARTS,
    "BUN_INSTALL": BUN_PARTS,
    "MISE_DATA_DIR": MISE_PARTS,
}
# The second value: does the tool work when it cannot write there? If not, and if no private copy
# is possible, it gets an empty private folder, which costs time but never a failure.
CACHE_FOLDERS = (
    (".cache/pip", True),
    (".cache/uv", False),
    (".cache/go-build", False),
    (".cache/pre-commit", True),
    (".cache/ms-playwright", True),
    (".cache/yarn", False),
    (".cache/pypoetry", True),
    (".cache/composer", True),
    (".cargo/registry", True),
    (".cargo/git", True),
    ("go/pkg", True),
    (".npm", False),
    (".m2/repository", True),
    (".gradle/caches", False),
    (".gradle/wrapper", True),
    (".ivy2/cache", True),
    (".ivy2/local", True),
    (".nuget/packages", True),
    (".pub-cache/bin", True),
    (".pub-cache/git", True),
    (".pub-cache/global_packages", True),
    (".pub-cache/hosted", True),
    (".pub-cache/hosted-hashes", True),
)
# Sockets and temporary files of others. DNS needs the file that /etc/resolv.conf leads to.
SHARED_FOLDERS = ("/tmp", "/var/tmp", "/run", "/var/run", "/dev/shm")  # noqa: S108
OTHER_HOMES = ("/root", "/home", "/Users")
# Variables that lead to sockets or to folders that are hidden.
DROPPED_NAMES = (
    *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS"),
    *("DBUS_SYSTEM_BUS_ADDRESS", "DOCKER_HOST", "CONTAINER_HOST", "XDG_RUNTIME_DIR"),
    *("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "TMUX", "KUBECONFIG"),
    *("CLAUDE_CODE_MESSAGING_SOCKET", "VSCODE_IPC_HOOK_CLI", "GIT_ASKPASS", "SSH_ASKPASS"),
)


class AgentHome(Record):
    """Where an agent keeps its login: the variable that names the folder, and what it reads there.

    The rest of the folder is private to the loop: settings that an agent writes there would
    run as the person in the next session.
    """

    variable: str
    folder: str
    files: tuple[str, ...]
    copied: tuple[str, ...] = ()  # files beside the folder, of which it gets a copy in the folder
    settings: tuple[str, ...] = ()  # files elsewhere in the home that it reads, such as its models


AGENT_HOMES = {
    "claude": AgentHome(
        "CLAUDE_CONFIG_DIR",
        ".claude",
        (".credentials.json", "settings.json", "CLAUDE.md", "plugins", "skills", "agents"),
        (".claude.json",),
    ),
    "codex": AgentHome("CODEX_HOME", ".codex", ("auth.json", "config.toml", "AGENTS.md", "rules")),
    "gemini": AgentHome(
        "",
        ".gemini",
        ("oauth_creds.json", "google_accounts.json", "settings.json", "GEMINI.md"),
    ),
    "opencode": AgentHome(
        "",
        ".local/share/opencode",
        ("auth.json",),
        settings=(".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"),
    ),
    "copilot": AgentHome("COPILOT_HOME", ".copilot", ("config.json",)),
    "qwen": AgentHome("QWEN_HOME", ".qwen", ("oauth_creds.json", "settings.json")),
    "cursor-agent": AgentHome("", ".cursor", ("cli-config.json",)),
    # These two are not run here: Goose's places are those of its documentation, Amp's those that
    # users name. A key in the keyring of the system cannot be reached: use a variable or a file.
    "amp": AgentHome(
        "",
        ".local/share/amp",
        ("secrets.json",),
        settings=(".config/amp/settings.json", ".config/amp/settings.jsonc"),
    ),
    "goose": AgentHome(
        "",
        ".config/goose",
        ("config.yaml", "secrets.yaml", "permission.yaml"),
    ),
    "aider": AgentHome("", ".aider", ("oauth-keys.env",)),
}
