"""How Gemini, Qwen, Copilot and OpenCode find the scripted model: their settings and variables, in a home of a test."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.client import KEY

MODEL = "scripted-model"


def configure(home: Path, url: str) -> None:
    """The model that each of them asks is the scripted one. What a test has written is left as it is."""
    gemini = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "model": {"name": MODEL},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    qwen = {
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": False},
        "general": {"enableAutoUpdate": False},
    }
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "scripted",
        "options": {"baseURL": f"{url}/v1", "apiKey": KEY},
        "models": {MODEL: {"name": MODEL, "limit": {"context": 200_000, "output": 8_192}}},
    }
    opencode = {
        "model": f"scripted/{MODEL}",
        "small_model": f"scripted/{MODEL}",
        "provider": {"scripted": provider},
        "autoupdate": False,
        "share": "disabled",
    }
    for name, settings in (
        (".gemini/settings.json", gemini),
        (".qwen/settings.json", qwen),
        (".config/opencode/opencode.json", opencode),
    ):
        path = home / name
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(settings), encoding="utf-8")


def variables(url: str) -> dict[str, str]:
    """What they read of the environment: the key, the address, and that they look for nobody else."""
    return {
        "GEMINI_API_KEY": KEY,
        "GOOGLE_GEMINI_BASE_URL": url,
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"{url}/v1",
        "OPENAI_MODEL": MODEL,
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": MODEL,
        "COPILOT_AUTO_UPDATE": "false",
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_DISABLE_MODELS_FETCH": "1",
        "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
        "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    }
