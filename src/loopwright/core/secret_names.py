"""The names of settings and variables that hold a secret: the one table of words."""

from __future__ import annotations

from .. import lazy_re as re

# Words in the name of a variable, in capital letters. `KEY`, `AUTH` and `PAT` count as whole words
# only, because KEYBOARD_LAYOUT, GIT_AUTHOR_NAME and PATH are not secret. Nor is TOKENIZERS_…. A
# word may end with PASS, as SSHPASS does; BYPASS and COMPASS are other words.
SECRET_NAME = re.compile(
    r"TOKEN(?!IZ)|SECRET|PASSW|PASSPHRASE|CREDENTIAL|ASKPASS|(?:API|ACCESS|PRIVATE|SSH)_?KEY"
    r"|(?:^|_)(?:KEYS?|AUTH|PWD|PAT|COOKIES?)(?:_|$)"
    r"|(?:^|_)(?:JWT(?:_V\d)?|SENTRY_DSN|WEBHOOK(?:_UR[LI])?)$"
    r"|(?<!BY)(?<!COM)PASS(?:_|$)"
)
