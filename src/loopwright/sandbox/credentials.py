"""Where programs keep logins and tokens, and what is left of settings that hold some.

The home folder is empty inside, so these matter in folders that are shown: those of toolchains and
caches, and those that a person allows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from glob import glob

from ..core.record import digest
from ..core.secret_names import SECRET_NAME
from ..disk.files import make_folder, read_text, write_private
from ..disk.user_folders import state_home

# Below the home folder. Never visible, whatever --allow-read says.
HIDDEN_PLACES = """
    .ssh .gnupg .netrc _netrc .password-store .age .config/age .config/op .config/1Password
    .config/Bitwarden* .config/rbw .lastpass .config/lastpass .config/sops .config/keybase
    .local/share/keybase .local/share/keyrings .local/share/kwalletd .vault-token .vault_pass
    .pki .bash_history .zsh_history .histfile .local/share/fish/fish_history .psql_history
    .mysql_history .python_history .node_repl_history .irb_history .sqlite_history
    .rediscli_history .dbshell .pgpass .my.cnf .mylogin.cnf .mozilla .thunderbird
    .config/google-chrome .config/chromium .config/Signal .config/BraveSoftware
    .config/microsoft-edge .config/vivaldi .config/opera .config/Slack .config/discord
    .config/Code/User/globalStorage .config/configstore .electrum .ethereum .bitcoin
    .config/solana .foundry/keystores .android/adbkey
    .git-credentials .config/git/credentials .config/gh .config/hub .config/glab-cli .config/lab
    .config/tea .config/jgit .subversion/auth .config/github-copilot
    .aws .azure .config/gcloud .kube .docker .config/containers/auth.json .oci .boto .bluemix
    .s3cfg .gsutil .config/doctl .config/hcloud .config/linode-cli .config/rclone .rclone.conf
    .terraform.d .terraformrc .pulumi/credentials.json .pulumi/accounts.json .config/pulumi
    .config/heroku .local/share/heroku .config/vercel .local/share/com.vercel.cli .wrangler
    .config/.wrangler .cloudflared .config/netlify .netlify .fly/config.yml .railway/config.json
    .config/firebase .config/stripe .config/sentry .sentryclirc .expo/state.json
    .supabase/access-token .config/planetscale .config/turso .config/neonctl .confluent .tsh
    .ngrok2 .config/ngrok .config/tailscale .minikube .config/helm/registry .databrickscfg
    .snowsql .config/snowflake .dbt/profiles.yml .config/atlascli .chef .ansible/galaxy_token
    .vagrant.d/data .config/hashicorp .fastlane .appstoreconnect
    .cache/huggingface/token .cache/huggingface/stored_tokens .huggingface .kaggle
    .config/kaggle .comet.config .config/wandb .local/share/jupyter/runtime
    .pypirc .npmrc .cargo/credentials .cargo/credentials.toml .gem/credentials
    .local/share/gem/credentials .ivy2/.credentials .ivy2/credentials* .sbt/.credentials
    .sbt/credentials* .sbt/*/credentials* .sbt/*/plugins/credentials* .config/coursier
    .config/composer/auth.json .composer/auth.json .dotnet/corefx .microsoft/usersecrets
    .config/pypoetry/auth.toml .local/share/uv/credentials .continuum .config/binstar
    .config/anaconda-client .anaconda .hex .config/hex .stack/upload .pause
    .opam/plugins/opam-publish .luarocks/upload_config.lua .nimble/github_api_token
    .pub-cache/credentials.json .config/dart/pub-credentials.json .deno/credentials.json
    .sdkman/etc/token .julia/servers .m2/settings-security*.xml .config/pnpm/auth.ini .cpanreporter
"""
# Settings of package managers that may hold a password. Hidden unless the person allows the file
# itself: some builds need the address of a mirror from it.
SETTINGS_PLACES = """
    .m2/settings.xml .gradle/gradle.properties .gradle/init.gradle .gradle/init.d .nuget/NuGet
    .config/NuGet .bundle/config .config/pypoetry/config.toml .yarnrc .yarnrc.yml .bunfig.toml
    .config/pnpm/rc .condarc .conda/.condarc .config/conda .pip .config/pip .config/uv
    .cabal/config .config/cabal .luarocks/config*.lua .Renviron .sbt/repositories .hgrc
    .config/go/env .jupyter .config/mise .stack/config.yaml
"""
# Below /. Readable for root alone, as which an agent may run.
SYSTEM_SECRETS = """
    etc/shadow etc/shadow- etc/gshadow etc/gshadow- etc/ssl/private etc/ssh/ssh_host_*_key
    etc/krb5.keytab etc/kubernetes etc/rancher etc/wireguard etc/openvpn etc/letsencrypt
    etc/docker/key.json etc/NetworkManager/system-connections var/lib/docker var/lib/kubelet
    var/lib/rancher var/lib/containerd var/spool/cron
"""
# Settings that tools need: shown, but without the lines that hold a password.
SHOWN_SETTINGS = """
    .gitconfig .config/git/config .cargo/config.toml .npm-global/etc/npmrc
    .nvm/versions/node/*/etc/npmrc .asdf/installs/nodejs/*/etc/npmrc .rustup/settings.toml
    .local/share/fnm/node-versions/*/installation/etc/npmrc .volta/tools/image/node/*/etc/npmrc
    .local/share/mise/installs/node/*/etc/npmrc .sdkman/candidates/maven/*/conf/settings.xml
    miniconda3/.condarc anaconda3/.condarc miniforge3/.condarc
    .cargo/git/db/*/config .cargo/git/checkouts/*/*/.git/config go/pkg/mod/cache/vcs/*/config
    .cache/pre-commit/*/.git/config .cache/composer/vcs/*/config .pub-cache/git/*/.git/config
    .pub-cache/git/cache/*/config
"""
# The same in the folder of a toolchain, of its versions and of its plugins.
SETTINGS_NAMES = """
    pip.conf .condarc etc/npmrc .env .git/config plugins/*/.git/config
    versions/*/pip.conf versions/*/envs/*/pip.conf versions/*/.env versions/*/etc/npmrc
    installs/*/*/pip.conf installs/*/*/etc/npmrc envs/*/pip.conf venvs/*/pip.conf */pip.conf
"""
# What a file with a login is called by most programs.
CREDENTIAL_NAME = re.compile(
    r"[._]?(?:netrc|credentials?|auth|tokens?|secrets?|api[-_]?(?:key|token)s?|npmrc|pypirc)"
    r"(?:[-_.](?:json|toml|ya?ml|ini|xml|properties|lua|txt|db|conf|cfg|config))?",
    re.IGNORECASE,
)
CREDENTIAL_LINE = re.compile(
    r"://[^/\s:@]*:[^/\s@]+@|://[^/\s@]{16,}@|[\s=\"'][^/\s:@\"'=]+:[^/\s:@\"']+@[\w.-]"
    r"|\b(?:token|password|passwd|secret|extraheader"
    r"|authorization|api[-_]?key|private[-_]?token)\b[\"']?\s*[=:>]"
    r"|_auth(?:token)?\s*=|_password\s*=",
    re.IGNORECASE,
)
SETTING_NAME = re.compile(r"([\w.-]+)[\"']?\s*[=:]")
MAX_SETTINGS = 1_000_000


def places_below(folders: Iterable[str], names: str) -> list[str]:
    """What exists of these names in these folders; a name may hold `*`."""
    found: list[str] = []
    for folder in folders:
        try:  # most names begin with a folder that is not there
            present = set(os.listdir(folder))
        except OSError:
            continue
        paths = [os.path.join(folder, n) for n in names.split() if n.partition("/")[0] in present]
        found += [path for path in paths if "*" not in path and os.path.lexists(path)]
        found += [match for path in paths if "*" in path for match in glob(path)]
    return found


def credential_files(folder: str) -> list[str]:
    """Files in this folder of a toolchain that have the usual name of a login; no programs."""
    try:
        entries = [entry for entry in os.scandir(folder) if CREDENTIAL_NAME.fullmatch(entry.name)]
        return [e.path for e in entries if e.is_file() and not e.stat().st_mode & 0o111]
    except OSError:
        return []


def without_credentials(text: str) -> str:
    """The settings without the lines that hold a password or token."""
    kept, is_continued = [], False
    for line in text.splitlines(keepends=True):
        is_dropped = is_continued or _holds_credential(line)
        is_continued = is_dropped and line.rstrip("\r\n").endswith("\\")
        kept += [] if is_dropped else [line]
    return "".join(kept)


def _holds_credential(line: str) -> bool:
    names = (re.sub(r"\W", "_", name).upper() for name in SETTING_NAME.findall(line))
    return bool(CREDENTIAL_LINE.search(line)) or any(map(SECRET_NAME.search, names))


def copy_without_credentials(path: str) -> str | None:
    """A copy of these settings to be shown in their place; "" for none, None if none is needed."""
    text = read_text(path, MAX_SETTINGS) or ""
    shown = without_credentials(text)
    if shown == text:
        return None
    folder = os.path.join(state_home(), "sandbox")
    copy = os.path.join(folder, f"shown-{digest(shown.encode())}")
    try:
        make_folder(folder)
        if not os.path.exists(copy):
            write_private(copy, shown.encode())
    except OSError:
        return ""
    return copy
