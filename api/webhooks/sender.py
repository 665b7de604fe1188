"""Send a request to a URL that an operator entered, and only to where it may go.

A host is resolved once, all of its addresses are checked, and the connection goes to one that was checked: a client
that resolves the name again could get another answer (DNS rebinding). The name remains for SNI, the certificate and
``Host``.
"""

import asyncio
import re
import socket
import ssl
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple, Self
from urllib.parse import urlsplit

import h11

from api.settings import VERSION

SECONDS = 10
"""The time for everything from the resolution to the end of the response."""

PORTS = frozenset({443, 8443})
"""The ports outside of allowed networks."""

URL_LIMIT = 2000
HEAD_LIMIT = 16 * 1024
"""The maximum bytes of a response's head, with all interim responses before it."""

RETRY_AFTER_LIMIT = 24 * 3600.0
THREADS = 32
"""Names that are resolved at the same time, in threads of their own, so that a slow name server delays nothing else."""

_PIECE = 512
"""The bytes of one read. At most two reads have bytes of the body, so at most 1 KiB of it is read."""

_DEFAULT_PORTS = {"https": 443, "http": 80}
_LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"(?=.{{1,253}}$)({_LABEL}\.)*(?![0-9]){_LABEL}")
_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")
_PROTOCOLS = IPv4Network("192.0.0.0/24")
"""Not global, but ``is_global`` of older Pythons says so of most of it."""

Address = IPv4Address | IPv6Address
Networks = Sequence[IPv4Network | IPv6Network]


class Reply(NamedTuple):
    """The result of one try."""

    status: int | None
    retry_after: float | None
    error: str


class _Target(NamedTuple):
    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


class Sender:
    """Sends requests; one for each process."""

    def __init__(self, allowed: Networks, resolve: Callable[[str], Iterable[str]] | None = None) -> None:
        self._allowed = allowed
        self._resolve = resolve or _look_up
        self._tls = ssl.create_default_context()
        self._threads = ThreadPoolExecutor(THREADS, "resolve")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._threads.shutdown(wait=False)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Make one try; every failure outside of this program is a reply."""
        deadline = asyncio.get_running_loop().time() + SECONDS
        try:
            target = _parse(url)
            async with asyncio.timeout_at(deadline):
                address = await self._address(target)
                reader, writer = await self._connect(target, address)
        except (OSError, ValueError) as error:
            return _failed(error)
        try:
            async with asyncio.timeout_at(deadline):
                client = h11.Connection(h11.CLIENT)
                writer.write(_request(client, target, body, headers))
                response = await _response(client, reader)
            with suppress(OSError, h11.RemoteProtocolError):
                async with asyncio.timeout_at(deadline):
                    await _skip_body(client, reader)
        except (OSError, h11.RemoteProtocolError) as error:
            return _failed(error)
        finally:
            writer.transport.abort()
        return Reply(response.status_code, _retry_after(dict(response.headers).get(b"retry-after", b"")), "")

    async def _address(self, target: _Target) -> Address:
        """Return the first address of the host if all of them may be used."""
        addresses = _literal(target.host) or [
            _plain(text)
            for text in await asyncio.get_running_loop().run_in_executor(self._threads, self._resolve, target.host)
        ]
        _require_addresses(target, addresses, self._allowed)
        return addresses[0]

    async def _connect(self, target: _Target, address: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        tls, name = (self._tls, target.host) if target.scheme == "https" else (None, None)
        return await asyncio.open_connection(str(address), target.port, limit=_PIECE, ssl=tls, server_hostname=name)


def require_url(url: str, allowed: Networks) -> None:
    """Raise ``ValueError`` with a sentence if a request to this URL would be refused; host names are not resolved."""
    target = _parse(url)
    if addresses := _literal(target.host):
        _require_addresses(target, addresses, allowed)
    elif not allowed:
        _require_public_port(target)


def _look_up(host: str) -> list[str]:
    return [str(found[-1][0]) for found in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)]


def _parse(url: str) -> _Target:
    if len(url) > URL_LIMIT:
        raise ValueError(f"The URL has more than {URL_LIMIT} characters.")
    if not re.fullmatch(r"[!-\[\]-~]*", url):
        raise ValueError("The URL has characters other than ASCII, or a space or a backslash. Encode them.")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError(f"The URL is not valid: {error}.") from error
    host = parts.hostname or ""
    if parts.scheme not in _DEFAULT_PORTS or not host:
        raise ValueError("The URL does not start with https:// and a host.")
    if "@" in parts.netloc:
        raise ValueError("The URL has a user or a password. Put secrets into the path or the query.")
    if not _literal(host) and not _NAME.fullmatch(host):
        raise ValueError(f"{host} is neither a host name nor an address in its usual form.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return _Target(parts.scheme, host, _DEFAULT_PORTS[parts.scheme] if port is None else port, path)


def _literal(host: str) -> list[Address]:
    """Return the address that the host itself is, if it is one."""
    try:
        ip_address(host)
    except ValueError:
        return []
    return [_plain(host)]


def _plain(text: str) -> Address:
    """Parse an address; an IPv4 address mapped into IPv6 is an IPv4 address."""
    address = ip_address(text)
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            raise ValueError(f"The address {text} has a zone.")
        return address.ipv4_mapped or address
    return address


def _require_addresses(target: _Target, addresses: Sequence[Address], allowed: Networks) -> None:
    if not addresses:
        raise ValueError(f"{target.host} has no address.")
    others = [address for address in addresses if not any(address in network for network in allowed)]
    for address in others:
        if not _is_public(address):
            raise ValueError(
                f"{target.host} has the address {address}, which is not public. See FRANCHISE_WEBHOOK_ALLOW."
            )
    if others:
        _require_public_port(target)


def _require_public_port(target: _Target) -> None:
    if target.scheme != "https":
        raise ValueError(f"{target.host} needs https, since it is not in FRANCHISE_WEBHOOK_ALLOW.")
    if target.port not in PORTS:
        raise ValueError(f"{target.host} needs port 443 or 8443, since it is not in FRANCHISE_WEBHOOK_ALLOW.")


def _is_public(address: Address) -> bool:
    """Return whether packets to this address go to the public internet, also through a gateway to IPv4."""
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast and address not in _PROTOCOLS
    inside = [address.sixtofour] if address.sixtofour else list(address.teredo or ())
    if address in _NAT64:
        inside = [IPv4Address(address.packed[-4:])]
    if inside:
        return all(map(_is_public, inside))
    return address.is_global and address in _UNICAST


def _request(client: h11.Connection, target: _Target, body: bytes, headers: Mapping[str, str]) -> bytes:
    fields = {
        **headers,
        "Host": target.authority,
        "User-Agent": f"franchise-webhooks/{VERSION}",
        "Content-Length": str(len(body)),
        "Connection": "close",
    }
    request = h11.Request(method="POST", target=target.path, headers=list(fields.items()))
    parts = [client.send(event) for event in (request, h11.Data(data=body), h11.EndOfMessage())]
    return b"".join(part for part in parts if part)


async def _response(client: h11.Connection, reader: asyncio.StreamReader) -> h11.Response:
    """Read the head of the response."""
    left = HEAD_LIMIT
    while not isinstance(event := client.next_event(), h11.Response):
        if isinstance(event, h11.InformationalResponse):
            continue
        if not left:
            raise h11.RemoteProtocolError("The head of the response is too long.")
        data = await reader.read(min(left, _PIECE))
        if not data:
            raise ConnectionResetError("The connection was closed without a response.")
        left -= len(data)
        client.receive_data(data)
    return event


async def _skip_body(client: h11.Connection, reader: asyncio.StreamReader) -> None:
    """Read the rest of a short body, so that its sender sees no broken connection."""
    left = _PIECE
    while ((event := client.next_event()) is h11.NEED_DATA and left) or isinstance(event, h11.Data):
        if event is h11.NEED_DATA:
            data = await reader.read(left)
            left -= len(data)
            client.receive_data(data)


def _failed(error: Exception) -> Reply:
    return Reply(None, None, (str(error) or type(error).__name__)[:200])


def _retry_after(value: bytes) -> float | None:
    """Parse a number of seconds or an HTTP date, at most a day."""
    text = value.decode("latin-1")
    if re.fullmatch("[0-9]+", text):
        return min(float(text), RETRY_AFTER_LIMIT)
    try:
        seconds = (parsedate_to_datetime(text).replace(tzinfo=UTC) - datetime.now(UTC)).total_seconds()
    except (ValueError, OverflowError):
        return None
    return min(max(seconds, 0.0), RETRY_AFTER_LIMIT)
