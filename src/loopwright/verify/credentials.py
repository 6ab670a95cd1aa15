"""Which environment variables are credentials: the one table for checks and agents.

A check runs code that an agent wrote, so it gets no credential. An agent gets its own only.
`--pass-env NAME` passes one variable through.
"""

from __future__ import annotations

from collections.abc import Mapping

from .. import lazy_re as re
from ..core.secret_names import SECRET_NAME
from .secret_patterns import PRIVATE_KEY, TOKENS

# Every variable of these families. The first rows are model providers, which an agent may use.
PROVIDER_PREFIXES = (
    "ANTHROPIC_",
    "OPENAI_",
    "AZURE_OPENAI_",
    "GEMINI_",
    "GOOGLE_API_KEY",
    "GOOGLE_GENAI_",
    "CODEX_",
    "MISTRAL_",
    "GROQ_",
    "OPENROUTER_",
    "DEEPSEEK_",
    "XAI_",
)
CLOUD_PREFIXES = ("AWS_",)
# An agent reaches its model through them, so it gets them even with a password in the address.
PROXY_NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy")
# They describe the session that we may run in.
SESSION_PREFIXES = ("CLAUDE_", "CLAUDECODE", "AI_AGENT", "LOOP_CHILD")
CREDENTIAL_PREFIXES = (*PROVIDER_PREFIXES, *CLOUD_PREFIXES, *SESSION_PREFIXES)

# Their names look like one, and they are the working folder.
PLAIN_NAMES = ("PWD", "OLDPWD")
# Settings for git: `GIT_CONFIG_COUNT` says how many pairs of KEY and VALUE follow. If one of them
# is missing, git refuses every command. So a pair is withheld whole, and the others are renumbered.
GIT_SETTING = re.compile(r"GIT_CONFIG_(?:COUNT|KEY_\d+|VALUE_\d+)")
SECRET_GIT_SETTING = re.compile(r"^credential\.|\.extraheader$|\.cookiefile$", re.I)
# A value that begins with a known token, or holds one after a separator, but not in a path.
SECRET_VALUE = re.compile(
    rf"(?:^|[\s=:,;\"'])(?:{'|'.join(expression for expression, _ in TOKENS)})(?![\w/-])"
    rf"|{PRIVATE_KEY[0]}"
)
SECRET_IN_URL = re.compile(r"[a-z][a-z0-9+.-]{0,20}://(?:[^\s:/@]*:[^\s@/]+|[^\s:/@]{16,})@")


def is_credential(name: str, value: str) -> bool:
    """Does the name of the variable, or its value, look like a credential?"""
    if name.upper() in PLAIN_NAMES or GIT_SETTING.fullmatch(name):
        return False
    if name.upper().startswith(CREDENTIAL_PREFIXES) or has_secret_name(name):
        return True
    if name == "GIT_CONFIG_PARAMETERS" and "extraheader" in value.lower():
        return True
    return bool(SECRET_VALUE.search(value) or SECRET_IN_URL.search(value))


def has_secret_name(name: str) -> bool:
    """Does the name of the variable say that its value is secret?"""
    is_plain = name.upper() in PLAIN_NAMES or GIT_SETTING.fullmatch(name)
    return not is_plain and bool(SECRET_NAME.search(name.upper()))


def without_credentials(
    environment: Mapping[str, str], passed: tuple[str, ...] = (), own: tuple[str, ...] = ()
) -> dict[str, str]:
    """The environment without credentials.

    `passed` are the names that the person passes through. `own` are the beginnings of the names
    that belong to the program which gets the environment.
    """
    kept = {
        name: value
        for name, value in environment.items()
        if name in passed or name.startswith(own) or not is_credential(name, value)
    }
    if any(GIT_SETTING.fullmatch(name) for name in passed):
        return kept
    plain = {name: value for name, value in kept.items() if not GIT_SETTING.fullmatch(name)}
    return plain | _plain_git_settings(environment)


def _plain_git_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """The settings for git in these variables that are no credentials, with new numbers."""
    pairs, number = list[tuple[str, str]](), 0
    count = environment.get("GIT_CONFIG_COUNT", "")
    while count.isdigit() and number < int(count):
        key = environment.get(f"GIT_CONFIG_KEY_{number}")
        value = environment.get(f"GIT_CONFIG_VALUE_{number}")
        if key is None or value is None:  # git refuses all of them
            return {}
        if not _is_secret_git_setting(key, value):
            pairs.append((key, value))
        number += 1
    if not pairs:
        return {}
    settings = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for place, (key, value) in enumerate(pairs):
        settings |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    return settings


def _is_secret_git_setting(key: str, value: str) -> bool:
    text = f"{key} {value}"
    if SECRET_GIT_SETTING.search(key) or SECRET_NAME.search(re.sub(r"\W", "_", key.upper())):
        return True
    return bool(SECRET_VALUE.search(text) or SECRET_IN_URL.search(text))


def withheld_names(environment: Mapping[str, str], kept: Mapping[str, str], text: str) -> list[str]:
    """The withheld variables that the text names as whole words."""
    words = set(re.findall(r"\w+", text))
    return sorted(name for name in environment if name not in kept and name in words)
