"""The worst nights. A commit plays a few minutes of them; `make torture` plays them at length and draws docs/reliability.md."""
