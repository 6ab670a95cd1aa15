"""What a secret looks like: the one table for everything that redacts.

Each row has a regular expression that finds a secret, and its signs: short texts in lower case.
Every match contains one of the signs. Looking for the signs is cheap, so a text without any of
them is not searched.
"""

# Words in the name of a variable or field whose value is a secret.
NAMES = (
    (r"api[_-]?key", ("apikey", "api_key", "api-key")),
    (r"token", ("token",)),
    (r"secret", ("secret",)),
    (r"passw(?:or)?d", ("passw",)),
    (r"credential", ("credential",)),
    (r"private[_-]?key", ("private",)),
    (r"auth", ("auth",)),
)
# Values that are recognizable as secrets by themselves.
PRIVATE_KEY = (
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    ("-----begin",),
)
TOKENS = (
    (r"(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}", ("sk-", "pk-", "rk-")),
    (r"gh[pousr]_[A-Za-z0-9]{20,}", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
    (r"github_pat_[A-Za-z0-9_]{20,}", ("github_pat_",)),
    (r"glpat-[A-Za-z0-9_-]{20,}", ("glpat-",)),
    (r"npm_[A-Za-z0-9]{36}", ("npm_",)),
    (r"pypi-[A-Za-z0-9_-]{50,}", ("pypi-",)),
    (r"hf_[A-Za-z]{30,}", ("hf_",)),
    (r"[sr]k_live_[A-Za-z0-9]{16,}", ("k_live_",)),
    (r"AKIA[0-9A-Z]{16}\b", ("akia",)),
    (r"xox[abprs]-[A-Za-z0-9-]{10,}", ("xox",)),
    (r"AIza[A-Za-z0-9_-]{30,}", ("aiza",)),
    (r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}", ("eyj",)),
)

NAME_SIGNS = tuple(sign for _, signs in NAMES for sign in signs)
SIGNS = (*NAME_SIGNS, *PRIVATE_KEY[1], *(sign for _, signs in TOKENS for sign in signs))

SHORTEST_SECRET = 8  # characters; a shorter value is too likely to be an ordinary word
# Values that runners of this process pass to their agents, and that no variable of ours has. One
# list for all of them: the secret of another account must not reach a journal either.
KNOWN_SECRETS: list[str] = []


def remember_secrets(pairs: tuple[tuple[str, str], ...]) -> None:
    """Have the values of these variables redacted from now on, whatever their names."""
    for _, value in pairs:
        if len(value) >= SHORTEST_SECRET and value not in KNOWN_SECRETS:
            KNOWN_SECRETS.append(value)
