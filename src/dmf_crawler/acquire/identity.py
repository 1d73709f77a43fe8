"""Who asks: the constant header fields of every request."""

from __future__ import annotations

from dmf_crawler.model.page import Headers
from dmf_crawler.settings import Identity

USER_AGENT_VERSION = "1.0"


def make_headers(identity: Identity) -> Headers:
    """Return the constant header fields of every request."""
    agent = f"{identity.product_token}/{USER_AGENT_VERSION}"
    if identity.contact:
        agent += f" (+mailto:{identity.contact})"
    return (
        ("User-Agent", agent),
        ("Accept-Language", identity.accept_language),
        ("Accept", identity.accept),
    )


def describe_identity(identity: Identity, proxy: str) -> str:
    """Return on one line who asks: the constant header fields and the proxy.

    What a site answers may depend on it, so a change of it must not look like a change of the list.
    """
    parts = [f"{name}: {value}" for name, value in make_headers(identity)]
    return "; ".join([*parts, f"proxy: {proxy}"] if proxy else parts)
