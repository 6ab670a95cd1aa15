"""Send a notification to an address such as ntfy://topic, through the package apprise."""

from __future__ import annotations

from typing import Any

from ..errors import UserError, WrongValue

INSTALL = 'needs the package apprise: pip install "loopwright[notify]"'


def is_address(target: str) -> bool:
    """An address begins with a scheme, as in tgram://…; everything else is a shell command."""
    scheme, separator, _ = target.partition("://")
    return bool(separator) and scheme.isalnum()


def require_addresses(target: str) -> None:
    """Refuse a wrong address, or a missing package, before the first turn."""
    if not is_address(target):
        return
    for address in target.split():
        if not _apprise().Apprise().add(address):
            scheme = address.partition("://")[0]
            raise WrongValue(
                f"--notify: apprise does not know the address {scheme}://…. "
                "See docs/running.md for ntfy and Telegram"
            )


def send_to_addresses(target: str, title: str, text: str) -> str:
    """Send to every address; what went wrong, or "". An address holds a secret: it is not shown."""
    sender = _apprise().Apprise()
    sender.add(target.split())
    sent = sender.notify(body=text, title=title)
    return "" if sent else "an address did not take it"


def _apprise() -> Any:
    try:
        import apprise
    except ModuleNotFoundError as error:
        raise UserError(f"a notification to an address {INSTALL}") from error
    import logging

    # It logs addresses, and they hold keys.
    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)
    return apprise
