"""Requests to receivers of webhooks: where they go, what is sent, and what is read."""

import asyncio
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from ipaddress import ip_network
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import uvloop

from api.settings import VERSION
from api.webhooks import sender
from api.webhooks.sender import HEAD_LIMIT, Networks, Reply, Sender, require_url
from tests.deploy.certificates import self_signed, signed_by_an_authority

LOCAL = [ip_network("127.0.0.0/8"), ip_network("::1/128")]
NAME = "receiver.example"
PUBLIC = "8.8.8.8"
PUBLIC_6 = "2606:4700::1111"

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Receiver(NamedTuple):
    port: int
    connections: list[str]
    requests: list[bytes]
    names: list[str | None]


def answering(response: bytes) -> Answer:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(response)

    return answer


def repeating(head: bytes, piece: bytes) -> Answer:
    async def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        while True:
            writer.write(piece)
            await writer.drain()

    return answer


async def silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


OK = answering(b"HTTP/1.1 204 No Content\r\n\r\n")


@asynccontextmanager
async def receiving(answer: Answer = OK, certificate: tuple[Path, Path] | None = None) -> AsyncIterator[Receiver]:
    """Run a receiver on 127.0.0.1."""
    done = asyncio.Event()
    connections: list[str] = []
    requests: list[bytes] = []
    names: list[str | None] = []

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(writer.get_extra_info("sockname")[0])
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            requests.append(head + await reader.readexactly(length))
            await answer(reader, writer)
        writer.close()
        done.set()

    tls = None
    if certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(certificate[1], certificate[0])
        tls.sni_callback = lambda _, name, __: names.append(name)
    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield Receiver(server.sockets[0].getsockname()[1], connections, requests, names)
        if requests:
            await done.wait()


def to(*addresses: str) -> Callable[[str], Sequence[str]]:
    return lambda _: addresses


async def send(
    url: str,
    resolve: Callable[[str], Sequence[str]] | None = None,
    allowed: Networks = LOCAL,
    body: bytes = b"{}",
) -> Reply:
    async with Sender(allowed, resolve) if resolve else Sender(allowed) as opened:
        return await opened.post(url, body, {"webhook-id": "msg_1"})


async def replied(answer: Answer) -> Reply:
    """Send a request to a receiver that answers so."""
    async with receiving(answer) as receiver:
        return await send(f"http://127.0.0.1:{receiver.port}/")


class NoConnection(OSError):
    """A connection that a test does not make."""


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, str | None]]:
    """The connections that would be opened: address, port and name for SNI."""
    opened: list[tuple[str, int, str | None]] = []

    async def open_connection(host: str, port: int, *, server_hostname: str | None, **_: Any) -> None:
        opened.append((host, port, server_hostname))
        raise NoConnection("not opened")

    monkeypatch.setattr(asyncio, "open_connection", open_connection)
    return opened


def test_the_request_has_the_body_the_headers_and_no_others() -> None:
    async def scene() -> tuple[Receiver, Reply]:
        async with receiving() as receiver:
            return receiver, await send(f"http://{NAME}:{receiver.port}/a/b?c=d#e", to("127.0.0.1"), body=b'{"x": 1}')

    receiver, reply = asyncio.run(scene())
    head, _, body = receiver.requests[0].partition(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    assert line == "POST /a/b?c=d HTTP/1.1"
    assert {field.partition(": ")[0].lower(): field.partition(": ")[2] for field in fields} == {
        "webhook-id": "msg_1",
        "host": f"{NAME}:{receiver.port}",
        "user-agent": f"franchise-webhooks/{VERSION}",
        "content-length": "8",
        "connection": "close",
    }
    assert body == b'{"x": 1}'
    assert reply == Reply(204, None, "")


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        async with receiving() as proxy, receiving() as receiver:
            for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
                monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
            assert (await send(f"http://127.0.0.1:{receiver.port}/")).status == 204
            assert (len(proxy.connections), len(receiver.connections)) == (0, 1)

    asyncio.run(scene())


def test_a_name_that_changes_its_address_is_resolved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the first answer may be used, all later ones may not."""
    asked: list[str] = []

    def rebinding(host: str) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1" if len(asked) == 1 else "169.254.169.254"]

    async def scene() -> Reply:
        async with receiving() as receiver:
            monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("resolved again"))
            reply = await send(f"http://{NAME}:{receiver.port}/", rebinding)
            assert receiver.connections == ["127.0.0.1"]
            return reply

    assert asyncio.run(scene()).status == 204
    assert asked == [NAME]


def test_each_request_resolves_and_checks_again(attempts: list[tuple[str, int, str | None]]) -> None:
    answers = iter([PUBLIC, "10.0.0.1"])

    async def scene() -> list[Reply]:
        async with Sender([], lambda _: [next(answers)]) as opened:
            return [await opened.post(f"https://{NAME}/", b"", {}) for _ in range(2)]

    first, second = asyncio.run(scene())
    assert attempts == [(PUBLIC, 443, NAME)]
    assert first == Reply(None, None, "not opened")
    assert second.error.startswith(f"{NAME} has the address 10.0.0.1, which is not public.")


@pytest.mark.parametrize(
    ("addresses", "connected"),
    [
        ([PUBLIC], PUBLIC),
        ([PUBLIC_6, PUBLIC], PUBLIC_6),
        ([f"::ffff:{PUBLIC}"], PUBLIC),
        ([f"64:ff9b::{PUBLIC}"], "64:ff9b::808:808"),
        (["2002:808:808::1"], "2002:808:808::1"),
        (["2001:0:808:808:0:0:f7f7:f7f7"], "2001:0:808:808::f7f7:f7f7"),
    ],
)
def test_requests_go_to_the_first_of_public_addresses(
    attempts: list[tuple[str, int, str | None]], addresses: list[str], connected: str
) -> None:
    asyncio.run(send(f"https://{NAME}:8443/", to(*addresses), []))
    assert attempts == [(connected, 8443, NAME)]


NOT_PUBLIC = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.192",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
]
NOT_PUBLIC_6 = [
    "::",
    "::1",
    "::127.0.0.1",
    "64:ff9b:1::1",
    "100::1",
    "2001:db8::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
]


def with_ipv4_inside(address: str) -> list[str]:
    """IPv6 addresses that lead to an IPv4 address."""
    bits = int.from_bytes(socket.inet_aton(address))
    high, low = f"{bits >> 16:x}", f"{bits & 0xFFFF:x}"
    hidden = f"{(bits >> 16) ^ 0xFFFF:x}:{(bits & 0xFFFF) ^ 0xFFFF:x}"
    return [
        f"::ffff:{address}",
        f"64:ff9b::{address}",
        f"2002:{high}:{low}::1",
        f"2001:0:{high}:{low}:0:0:f7f7:f7f7",
        f"2001:0:808:808:0:0:{hidden}",
    ]


@pytest.mark.parametrize(
    "address", [*NOT_PUBLIC, *NOT_PUBLIC_6, *(inside for outside in NOT_PUBLIC for inside in with_ipv4_inside(outside))]
)
def test_no_connection_is_opened_if_one_address_is_not_public(
    attempts: list[tuple[str, int, str | None]], address: str
) -> None:
    answers = iter([[address], [PUBLIC, address], [address, PUBLIC_6]])

    async def scene() -> None:
        async with Sender([], lambda _: next(answers)) as opened:
            for _ in range(3):
                reply = await opened.post(f"https://{NAME}/", b"", {})
                assert reply.status is None
                assert "which is not public" in reply.error

    asyncio.run(scene())
    literal = f"[{address}]" if ":" in address else address
    with pytest.raises(ValueError, match="which is not public"):
        require_url(f"https://{literal}/", [])
    assert attempts == []


@pytest.mark.parametrize("answers", [["fe80::1%lo"], [PUBLIC, "fe80::1%1"], []])
def test_a_zone_and_no_address_are_refused(attempts: list[tuple[str, int, str | None]], answers: list[str]) -> None:
    reply = asyncio.run(send(f"https://{NAME}/", to(*answers), [ip_network("fe80::/10")]))
    assert reply.error.endswith(("has a zone.", "has no address."))
    assert attempts == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", NAME])
def test_a_listening_socket_sees_no_connection_from_refused_requests(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    async def scene() -> Receiver:
        async with receiving() as receiver:
            monkeypatch.setattr(sender, "PORTS", {receiver.port})
            answers = to(PUBLIC, "127.0.0.1") if host == NAME else None
            for scheme in ("https", "http"):
                reply = await send(f"{scheme}://{host}:{receiver.port}/", answers, [])
                assert "which is not public" in reply.error
            assert (await send(f"http://127.0.0.1:{receiver.port}/")).status == 204
            return receiver

    assert len(asyncio.run(scene()).connections) == 1, "only the allowed request"


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("http://2130706433/", "neither a host name"),
        ("http://0x7f.1/", "neither a host name"),
        ("http://0x7f000001/", "neither a host name"),
        ("http://017700000001/", "neither a host name"),
        ("http://0177.0.0.1/", "neither a host name"),
        ("http://127.1/", "neither a host name"),
        ("http://127.0.0.01/", "neither a host name"),
        ("http://127.0.0.1./", "neither a host name"),
        ("http://localhost./", "neither a host name"),
        ("http://receiver.example./", "neither a host name"),
        ("http://a..example/", "neither a host name"),
        ("http://.example/", "neither a host name"),
        ("http://-a.example/", "neither a host name"),
        (f"http://{'a' * 64}.example/", "neither a host name"),
        (f"http://{'a.' * 127}a.example/", "neither a host name"),
        ("http://a%2eexample/", "neither a host name"),
        ("http://[::1%25lo]/", "has a zone"),
        ("http://[fe80::1%lo]/", "has a zone"),
        ("http://[::1/", "not valid"),
        ("http://[127.0.0.1]/", "not valid|neither a host name"),
        ("http://localhost:99999/", "not valid"),
        ("http://localhost:x/", "not valid"),
        ("http://user@localhost/", "a user or a password"),
        ("http://user:password@localhost/", "a user or a password"),
        ("http://:@localhost/", "a user or a password"),
        ("http://receiver.example@localhost/", "a user or a password"),
        ("http://localhost\\@receiver.example/", "a backslash"),
        ("http://local host/", "a space"),
        ("http://localhost/\r\nx: y", "ASCII"),
        ("http://localhost/\n", "ASCII"),
        ("http://loc\tlhost/", "ASCII"),
        (" http://localhost/", "a space"),
        ("http://bücher.example/", "ASCII"),
        ("http://\N{KELVIN SIGN}.example/", "ASCII"),
        ("http://\N{FULLWIDTH DIGIT ONE}27.0.0.1/", "ASCII"),
        ("http:///path", "start with https"),
        ("http:localhost", "start with https"),
        ("localhost", "start with https"),
        ("", "start with https"),
        ("ftp://localhost/", "start with https"),
        ("file:///etc/passwd", "start with https"),
        ("http://localhost/" + "a" * 1984, "more than 2000 characters"),
    ],
)
def test_unusual_urls_are_refused_before_they_are_resolved(url: str, complaint: str) -> None:
    def resolve(host: str) -> Sequence[str]:
        pytest.fail(f"resolved {host}")

    with pytest.raises(ValueError, match=complaint) as refused:
        require_url(url, LOCAL)
    assert asyncio.run(send(url, resolve)) == Reply(None, None, str(refused.value)[:200])


@pytest.mark.parametrize(
    ("url", "asked", "authority"),
    [
        ("https://Receiver.EXAMPLE", "receiver.example", "receiver.example"),
        ("HTTPS://receiver.example:443/", "receiver.example", "receiver.example"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("https://a_b.example:8443/", "a_b.example", "a_b.example:8443"),
        ("https://receiver.example/" + "a" * 1975, "receiver.example", "receiver.example"),
    ],
)
def test_usual_names_are_resolved_in_lower_case(
    attempts: list[tuple[str, int, str | None]], url: str, asked: str, authority: str
) -> None:
    names: list[str] = []

    def resolve(host: str) -> Sequence[str]:
        names.append(host)
        return [PUBLIC]

    require_url(url, [])
    asyncio.run(send(url, resolve, []))
    assert names == [asked]
    assert attempts == [(PUBLIC, 8443 if authority.endswith(":8443") else 443, asked)]


@pytest.mark.parametrize(
    ("url", "address", "port"),
    [
        (f"https://{PUBLIC}/", PUBLIC, 443),
        (f"https://[{PUBLIC_6.upper()}]:8443/", PUBLIC_6, 8443),
        (f"https://[::ffff:{PUBLIC}]/", PUBLIC, 443),
        ("http://127.0.0.1/", "127.0.0.1", 80),
        ("http://[::1]:9000/", "::1", 9000),
    ],
)
def test_addresses_are_used_as_they_are(
    attempts: list[tuple[str, int, str | None]], url: str, address: str, port: int
) -> None:
    require_url(url, LOCAL)
    asyncio.run(send(url, lambda host: pytest.fail(f"resolved {host}")))
    assert [attempt[:2] for attempt in attempts] == [(address, port)]


@pytest.mark.parametrize(
    ("url", "answers", "complaint"),
    [
        (f"http://{NAME}/", [PUBLIC], "needs https"),
        (f"http://{NAME}/", ["127.0.0.1", PUBLIC], "needs https"),
        (f"http://{NAME}:443/", [PUBLIC], "needs https"),
        (f"https://{NAME}:22/", [PUBLIC], "needs port 443 or 8443"),
        (f"https://{NAME}:9000/", ["127.0.0.1", PUBLIC], "needs port 443 or 8443"),
        (f"https://{NAME}:0/", [PUBLIC], "needs port 443 or 8443"),
    ],
)
def test_http_and_other_ports_are_for_allowed_networks_only(
    attempts: list[tuple[str, int, str | None]], url: str, answers: list[str], complaint: str
) -> None:
    assert complaint in asyncio.run(send(url, to(*answers))).error
    with pytest.raises(ValueError, match=complaint):
        require_url(url, [])
    require_url(url, LOCAL)
    assert attempts == []


@pytest.mark.parametrize("status", [200, 301, 302, 307, 308, 410, 429, 500])
def test_the_status_is_reported_and_no_redirect_is_followed(status: int) -> None:
    async def scene() -> tuple[Reply, Receiver]:
        async with receiving() as elsewhere:
            location = f"http://127.0.0.1:{elsewhere.port}/".encode()
            reply = await replied(
                answering(b"HTTP/1.1 %d x\r\nLocation: %b\r\nSet-Cookie: a=b\r\n\r\n" % (status, location))
            )
            return reply, elsewhere

    reply, elsewhere = asyncio.run(scene())
    assert reply == Reply(status, None, "")
    assert elsewhere.connections == []


def test_cookies_are_not_kept() -> None:
    async def scene() -> Receiver:
        async with (
            receiving(answering(b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 0\r\n\r\n")) as receiver,
            Sender(LOCAL) as opened,
        ):
            for _ in range(2):
                await opened.post(f"http://127.0.0.1:{receiver.port}/", b"", {})
            return receiver

    requests = asyncio.run(scene()).requests
    assert len(requests) == 2
    assert not any(b"cookie" in request.lower() for request in requests)


def byte_by_byte(head: bytes) -> Answer:
    """Send the start of a response and then a byte from time to time, until the connection is closed."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(head)
        closed = asyncio.ensure_future(reader.read())
        while not closed.done():
            writer.write(b"a")
            await asyncio.wait([closed], timeout=0.02)

    return answer


@pytest.mark.parametrize("answer", [silent, byte_by_byte(b"HTTP/1.1 200 OK\r\nx: ")], ids=["silent", "slow head"])
def test_a_receiver_without_a_response_is_left_after_the_time_limit(
    monkeypatch: pytest.MonkeyPatch, answer: Answer
) -> None:
    monkeypatch.setattr(sender, "SECONDS", 0.2)
    assert asyncio.run(replied(answer)) == Reply(None, None, "TimeoutError")


def test_a_receiver_that_does_not_start_tls_is_left_after_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "SECONDS", 0.2)

    async def scene() -> Reply:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            return await send(f"https://127.0.0.1:{listening.getsockname()[1]}/")

    assert asyncio.run(scene()) == Reply(None, None, "TimeoutError")


def test_the_resolution_counts_for_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "SECONDS", 0.2)
    released = threading.Event()

    def slow(_: str) -> Sequence[str]:
        released.wait(60)
        return []

    try:
        assert asyncio.run(send(f"https://{NAME}/", slow)) == Reply(None, None, "TimeoutError")
    finally:
        released.set()


def test_slow_name_servers_do_not_take_the_threads_of_others() -> None:
    """The default threads of the process stay free while all names of webhooks wait."""
    released = threading.Event()

    def slow(_: str) -> Sequence[str]:
        released.wait(60)
        return []

    async def scene() -> None:
        async with Sender([], slow) as opened:
            tries = [asyncio.create_task(opened.post(f"https://{NAME}/", b"", {})) for _ in range(2 * sender.THREADS)]
            await asyncio.to_thread(released.set)
            assert {(await one).error for one in tries} == {f"{NAME} has no address."}

    asyncio.run(scene())


@pytest.mark.parametrize("body", [b"", b"a" * 100])
def test_a_body_that_does_not_end_does_not_change_the_status(monkeypatch: pytest.MonkeyPatch, body: bytes) -> None:
    monkeypatch.setattr(sender, "SECONDS", 0.2)

    async def stop_halfway(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + body)
        await reader.read()

    assert asyncio.run(replied(stop_halfway)) == Reply(200, None, "")


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_at_most_1_kib_of_the_body_is_read(monkeypatch: pytest.MonkeyPatch, head: bytes) -> None:
    read: list[int] = []
    read_some = asyncio.StreamReader.read

    async def counted(reader: asyncio.StreamReader, size: int = -1) -> bytes:
        data = await read_some(reader, size)
        read.append(len(data))
        return data

    monkeypatch.setattr(asyncio.StreamReader, "read", counted)
    piece = b"400\r\n" + b"a" * 1024 + b"\r\n"
    assert asyncio.run(replied(repeating(head, piece))) == Reply(200, None, "")
    assert 0 < sum(read) <= 1024, "the head and the body"


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"x: y\r\n" * 100),
        (b"HTTP/1.1 200 OK\r\nx: ", b"y" * 1000),
        (b"", b"y" * 1000),
        (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100),
        (b"HTTP/1.1 200 OK\r\nx: " + b"y" * HEAD_LIMIT + b"\r\n\r\n", b"a" * 1000),
    ],
    ids=["many headers", "a long header", "a long line", "interim responses", "a little too long"],
)
def test_the_head_of_the_response_is_bounded(head: bytes, piece: bytes) -> None:
    reply = asyncio.run(replied(repeating(head, piece)))
    assert reply.status is None
    assert "too long" in reply.error or "illegal" in reply.error


def test_interim_responses_are_skipped() -> None:
    early = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n"
    reply = asyncio.run(replied(answering(early + b"HTTP/1.1 429 x\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")))
    assert reply == Reply(429, 7.0, "")


@pytest.mark.parametrize(
    "response",
    [
        b"HTTP/1.1 200",
        b"HTTP/1.1 200 OK\r\nx: y\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
        b"HTTP/1.1 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b"\0" * 100,
    ],
)
def test_no_response_of_http_is_an_error_with_a_reason(response: bytes) -> None:
    reply = asyncio.run(replied(answering(response)))
    assert reply.status is None
    assert 0 < len(reply.error) <= 200


def test_a_receiver_that_closes_at_once_is_an_error_with_a_reason() -> None:
    assert asyncio.run(replied(answering(b""))).error == "The connection was closed without a response."


def test_an_unreachable_receiver_is_an_error_with_a_reason() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert "onnect" in asyncio.run(send(f"http://127.0.0.1:{port}/")).error


def test_an_unknown_name_is_an_error_with_a_reason() -> None:
    def unknown(_: str) -> Sequence[str]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    assert asyncio.run(send(f"https://{NAME}/", unknown)).error.endswith("Name or service not known")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, Path]:
    return signed_by_an_authority(tmp_path_factory.mktemp("authority"), NAME)


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_a_trusted_certificate_for_the_name_is_accepted(
    monkeypatch: pytest.MonkeyPatch, certificates: tuple[Path, Path, Path], new_loop: Callable[[], Any]
) -> None:
    key, certificate, authority = certificates
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))

    async def scene() -> tuple[Receiver, Reply]:
        async with receiving(certificate=(key, certificate)) as receiver:
            return receiver, await send(f"https://{NAME.upper()}:{receiver.port}/", to("127.0.0.1"))

    with asyncio.Runner(loop_factory=new_loop) as runner:
        receiver, reply = runner.run(scene())
    assert reply == Reply(204, None, "")
    assert receiver.names == [NAME]
    assert f"host: {NAME}:{receiver.port}\r\n".encode() in receiver.requests[0].lower()


@pytest.mark.parametrize(
    ("host", "complaint"), [(f"other.{NAME}", "Hostname mismatch"), ("127.0.0.1", "IP address mismatch")]
)
def test_a_trusted_certificate_for_another_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, certificates: tuple[Path, Path, Path], host: str, complaint: str
) -> None:
    key, certificate, authority = certificates
    monkeypatch.setenv("SSL_CERT_FILE", str(authority))
    assert_refused((key, certificate), host, complaint)


def test_a_certificate_of_an_unknown_authority_is_refused(certificates: tuple[Path, Path, Path]) -> None:
    key, certificate, _ = certificates
    assert_refused((key, certificate), NAME, "unable to get local issuer certificate")


def test_a_self_signed_certificate_is_refused_before_anything_is_sent(tmp_path: Path) -> None:
    assert_refused(self_signed(tmp_path), "127.0.0.1", "self-signed certificate")


def assert_refused(certificate: tuple[Path, Path], host: str, complaint: str) -> None:
    async def scene() -> tuple[Receiver, Reply]:
        async with receiving(certificate=certificate) as receiver:
            return receiver, await send(f"https://{host}:{receiver.port}/", to("127.0.0.1"))

    receiver, reply = asyncio.run(scene())
    assert reply.status is None
    assert complaint in reply.error
    assert receiver.requests == []


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0),
        ("120", 120),
        ("86400", 86_400),
        ("86401", 86_400),
        ("9" * 5000, 86_400),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 86_400),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Thursday, 01-Jan-70 00:00:00 GMT", 0),
        ("-1", None),
        ("1.5", None),
        ("+1", None),
        ("1e3", None),
        ("soon", None),
        ("\xb2", None),
        ("Fri, 99 Dec 9999 99:99:99 GMT", None),
        ("", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(value: str, seconds: float | None) -> None:
    response = f"HTTP/1.1 503 x\r\nRetry-After: {value}\r\nContent-Length: 0\r\n\r\n".encode("latin-1")
    assert asyncio.run(replied(answering(response))) == Reply(503, seconds, "")


def test_retry_after_of_a_date_is_the_time_until_then() -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(hours=2), usegmt=True)
    response = f"HTTP/1.1 503 x\r\nRetry-After: {date}\r\nContent-Length: 0\r\n\r\n".encode()
    seconds = asyncio.run(replied(answering(response))).retry_after
    assert seconds is not None
    assert 0 < seconds <= 7200
