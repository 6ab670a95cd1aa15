"""Which files hold settings of test runners, linters, build tools and CI."""

from __future__ import annotations

import posixpath

from .. import lazy_re as re

# Files whose keys are compared. The tool is the first word of the name, unless it serves many.
READ_SETTINGS = re.compile(
    r"\.?(ruff|coverage|pyright|jest|vitest|vite|playwright|cypress|mocha|nyc|ts|js|eslint|next)"
    r"(?:rc|config|[\w.-]*\.config)(?:\.[\w.]+)?|\.?(ruff|codecov)\.(?:toml|ya?ml)|pyproject\.toml"
    r"|\.?pytest\.(?:ini|toml)|setup\.cfg|tox\.ini|\.?mypy\.ini|\.flake8|package\.json"
    r"|(Cargo|pnpm-workspace|lerna|deno)\.(?:toml|ya?ml|jsonc?)"
)
OTHER_SETTINGS = re.compile(
    r"\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.cjs|pnpm-workspace\.yaml|\.babelrc(?:\.\w+)?"
    r"|babel\.config\.\w+|\.c8rc(?:\.\w+)?|karma\.conf\.\w+"
    r"|noxfile\.py|\.pre-commit-config\.ya?ml"
    r"|\.proverc|\.envrc|\.env(?:\.\w+)?|\.testmondata|\.rspec|phpunit(?:\.\w+)?\.xml"
    r"|\.swiftlint\.yml"
    r"|rust-toolchain(?:\.toml)?|clippy\.toml|\.golangci\.ya?ml|go\.work|Cargo\.toml"
    r"|(?:vitest|vite)\.workspace\.\w+"
    r"|(?:jest|vitest)[.-]?setup\.\w+|setup(?:-?tests?|Tests)\.[cm]?[jt]sx?"
    r"|\.gitattributes|\.?pylintrc"
    # Any tool may have its own list of what it does not look at; some read `.ignore` as well.
    r"|\.[\w-]*ignore"
    r"|\.(?:prettier|stylelint|jshint|luacheck|yamllint|shellcheck|codespell)rc(?:\.\w+)?"
    r"|biome\.jsonc?|\.rubocop\w*\.yml|\.isort\.cfg|\.bandit|bandit\.ya?ml|\.yamllint|\.clang-tidy"
    r"|\.(?:python|ruby|node|java|tool)-versions?|\.nvmrc|\.?mise\.toml"
    r"|(?:uv|poetry|hatch|bunfig)\.toml"
    r"|deno\.jsonc?|\.taprc|\.swcrc|ava\.config\.\w+|(?:angular|nx|turbo)\.json|\.bazelrc"
    r"|\.?rustfmt\.toml|deny\.toml|phpstan\.neon(?:\.dist)?|psalm\.xml|detekt\.yml|\.importlinter"
)
SETTINGS_PATH = re.compile(
    r"(?:^|/)(?:\.cargo/config(?:\.toml)?|\.config/nextest\.toml"
    r"|\.claude/settings(?:\.local)?\.json)$"
)
# They settle what runs on another machine, and nothing that a check here measures.
ELSEWHERE_FILE = re.compile(
    r"(?:^|/)(?:Dockerfile(?:\.\w+)?|(?:docker-)?compose(?:\.\w+)?\.ya?ml)$"
)
CI_FILE = re.compile(
    r"^\.(?:github/(?:workflows|actions)|circleci|buildkite|woodpecker)/"
    r"|^(?:\.gitlab-ci|\.travis|azure-pipelines|bitbucket-pipelines|appveyor)\.ya?ml$|^Jenkinsfile$"
)


def is_settings_file(path: str) -> bool:
    """Does it hold settings whose keys we compare?"""
    return bool(READ_SETTINGS.fullmatch(posixpath.basename(path)))


def tool_of_settings(path: str) -> str:
    """The tool whose settings alone are in the file; "" for one that serves many tools."""
    match = READ_SETTINGS.fullmatch(posixpath.basename(path))
    return (match[1] or match[2] or match[3] or "") if match else ""


def holds_settings(path: str) -> bool:
    """Does it settle how checks run, in any notation?"""
    patterns = (CI_FILE, ELSEWHERE_FILE, SETTINGS_PATH)
    if is_settings_file(path) or any(pattern.search(path) for pattern in patterns):
        return True
    return bool(OTHER_SETTINGS.fullmatch(posixpath.basename(path)))
