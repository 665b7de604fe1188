"""Applications in tests."""

from httpx import Client
from litestar.testing import TestClient


def new_key(client: Client, name: str = "meeple") -> str:
    """Store an application on a server in this process, and return its key."""
    assert isinstance(client, TestClient)
    key: str = client.blocking_portal.call(client.app.state["service"].apps.add, name)
    return key
