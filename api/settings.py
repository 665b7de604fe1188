"""The settings of the server: every one is an environment variable with the prefix ``FRANCHISE_``."""

import os
import tomllib
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from domain.board import RegionTile
from domain.boards import BoardError, load_region_tiles

PREFIX = "FRANCHISE_"
VERSION: str = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text("utf-8"))["project"]["version"]

LONGEST_WAIT = 30
"""The most seconds that a client may ask to wait for events."""

Count = Annotated[int, Meta(ge=1)]
Port = Annotated[int, Meta(ge=0, le=65535)]
LogLevel = Literal["debug", "info", "warning", "error"]


class SettingError(ValueError):
    """A setting that cannot be used; the message names the variable."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a server; the defaults suit a single machine."""

    database_url: Annotated[
        str,
        Meta(
            description="Where games are stored: `sqlite:///file` (relative to the current directory; an absolute path "
            "has four slashes), `postgresql://...`, or `memory:`."
        ),
    ] = "sqlite:///franchise.db"
    host: Annotated[str, Meta(description="The address to listen on.", min_length=1)] = "127.0.0.1"
    port: Annotated[Port, Meta(description="The port to listen on. `PORT` without the prefix works, too.")] = 8000
    workers: Annotated[Count, Meta(description="The number of processes that serve.")] = 1
    tls_certificate: Annotated[
        str, Meta(description="A PEM file with the certificate chain, to serve HTTPS by TLS 1.3.")
    ] = ""
    tls_key: Annotated[
        str,
        Meta(
            description="A PEM file with the private key of the certificate, without a passphrase: RSA, ECDSA (P-256 "
            "or P-384) or Ed25519."
        ),
    ] = ""
    http: Annotated[
        Literal["1", "auto"],
        Meta(
            description="`1` for HTTP/1.1, `auto` for HTTP/2 as well. With `auto`, a connection that sends nothing is "
            "never closed."
        ),
    ] = "1"
    connections: Annotated[
        Count, Meta(description="Connections that each process accepts at once. Further ones wait.")
    ] = 2000
    head_timeout: Annotated[Count, Meta(description="Seconds for the head of a request to arrive.", le=60)] = 10
    head_limit: Annotated[int, Meta(description="Bytes that the head of a request may have.", ge=8192)] = 64 * 1024
    body_timeout: Annotated[Count, Meta(description="Seconds for the body of a request to arrive.", le=600)] = 30
    trusted_proxies: Annotated[
        str,
        Meta(
            description="Addresses and networks of reverse proxies, separated by commas: their `X-Forwarded-For` names "
            "the client."
        ),
    ] = ""
    rate_limit: Annotated[
        int,
        Meta(
            description="Requests that a client (an address) may make per minute in each process, a tenth of them at "
            "once (0: no limit). Those with more work count several times, those for `/health` never.",
            ge=0,
        ),
    ] = 60_000
    seats_limit: Annotated[
        int,
        Meta(
            description="Seats that a client (an address) may take per hour in each process, at tables that it did not "
            "open there (0: no limit).",
            ge=0,
        ),
    ] = 100
    storage_limit: Annotated[
        int,
        Meta(
            description="Bytes that a client (an address) may store per hour in each process: events, tokens and keys "
            "(0: no limit).",
            ge=0,
        ),
    ] = 256 * 1024 * 1024
    keys_kept: Annotated[Count, Meta(description="Days for which an `Idempotency-Key` is kept.", le=3650)] = 30
    open_tables_kept: Annotated[
        int,
        Meta(
            description="Delete tables that never started after this many days without activity (0: never).",
            ge=0,
            le=3650,
        ),
    ] = 30
    cors_origins: Annotated[
        tuple[str, ...],
        Meta(description="Origins whose pages may call the API, separated by commas (`*`: all, empty: none)."),
    ] = ("*",)
    body_limit: Annotated[Count, Meta(description="Bytes that the body of a request may have.")] = 64 * 1024
    record_limit: Annotated[Count, Meta(description="Bytes that an imported record may have.")] = 4 * 1024 * 1024
    cache_bytes: Annotated[
        Count, Meta(description="Bytes of games and views that each process keeps in memory, about.")
    ] = 256 * 1024 * 1024
    database_timeout: Annotated[
        Count, Meta(description="Seconds to wait for the database. After that, requests get 503.", le=600)
    ] = 10
    heavy_requests: Annotated[
        Count,
        Meta(
            description="Queue length per process for audits, exports, imports, forks, hints and PNG images; also how "
            "many imports may upload at once."
        ),
    ] = 100
    heavy_requests_per_client: Annotated[
        Count, Meta(description="How many of these may come from one client. One of them is done at a time.")
    ] = 25
    bot_workers: Annotated[
        int,
        Meta(
            description="Processes that think for bots, for each process that serves (0: no bot moves there, and there "
            "are no hints).",
            ge=0,
            le=64,
        ),
    ] = 1
    bot_seconds: Annotated[
        float, Meta(description="Seconds that the bot `planner` thinks about a decision.", gt=0, le=60)
    ] = 0.5
    wait_limit: Annotated[
        int, Meta(description="The longest time that a request waits for events, in seconds.", ge=0, le=LONGEST_WAIT)
    ] = LONGEST_WAIT
    watchers: Annotated[
        int, Meta(description="Streams, and requests that wait for events, that each process has room for.", ge=0)
    ] = 1000
    watchers_per_client: Annotated[
        int, Meta(description="How many of these may come from one client (an address).", ge=0)
    ] = 100
    heartbeat: Annotated[
        Count, Meta(description="Seconds of silence after which a stream sends a heartbeat.", le=3600)
    ] = 15
    log_level: Annotated[LogLevel, Meta(description="`info` logs each request, `warning` only what goes wrong.")] = (
        "info"
    )
    metrics: Annotated[
        str,
        Meta(
            description="An address such as `127.0.0.1:9100` where Prometheus reads the metrics of all processes "
            "(empty: none). Strangers must not reach it."
        ),
    ] = ""
    region_tiles: Annotated[
        str, Meta(description="A JSON file with twenty tiles of the Region tiles expansion, in place of the house set.")
    ] = ""


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings of this process; raise ``SettingError`` at the first that makes no sense."""
    given = {
        name: environment[variable]
        for name in Settings.__struct_fields__
        if (variable := PREFIX + name.upper()) in environment
    }
    if "port" not in given and "PORT" in environment:
        given["port"] = environment["PORT"]
    settings = Settings()
    for name, text in given.items():
        settings = msgspec.structs.replace(settings, **{name: _read(name, text)})
    if settings.workers > 1 and settings.database_url == "memory:":
        raise SettingError(f"{PREFIX}DATABASE_URL=memory: is for one process: {PREFIX}WORKERS must be 1")
    if bool(settings.tls_certificate) != bool(settings.tls_key):
        raise SettingError(f"{PREFIX}TLS_CERTIFICATE and {PREFIX}TLS_KEY belong together: set both or neither")
    trusted_networks(settings)
    if settings.metrics:
        metrics_address(settings)
    return settings


def metrics_address(settings: Settings) -> tuple[str, int]:
    """Return the host and the port of the metrics; raise ``SettingError`` for what is none, or the port of the API."""
    host, _, port = settings.metrics.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()) or int(port) > 65535:
        raise SettingError(f"{PREFIX}METRICS={settings.metrics!r}: an address with a port, such as 127.0.0.1:9100")
    if int(port) == settings.port != 0:
        raise SettingError(f"{PREFIX}METRICS={settings.metrics!r}: the API has this port, metrics need another one")
    return host.removeprefix("[").removesuffix("]"), int(port)


def trusted_networks(settings: Settings) -> list[IPv4Network | IPv6Network]:
    """Return the addresses and networks of trusted proxies; raise ``SettingError`` for what is none."""
    given = settings.trusted_proxies
    try:
        networks = [ip_network(part.strip()) for part in given.split(",") if part.strip()]
    except ValueError as error:
        raise SettingError(f"{PREFIX}TRUSTED_PROXIES={given!r}: {error}") from error
    if any(network.prefixlen == 0 for network in networks):
        raise SettingError(f"{PREFIX}TRUSTED_PROXIES={given!r}: every client could choose its address")
    return networks


def read_region_tiles(settings: Settings) -> tuple[RegionTile, ...]:
    """Read the tiles of the Region tiles expansion: the house set, or the operator's own (R12.7)."""
    if not settings.region_tiles:
        return load_region_tiles()
    try:
        return load_region_tiles(Path(settings.region_tiles).read_bytes())
    except (OSError, BoardError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise SettingError(f"{PREFIX}REGION_TILES={settings.region_tiles}: {why}") from error


def unknown_settings(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return variables that look like a setting and are none: most likely misspelt."""
    names = {PREFIX + name.upper() for name in Settings.__struct_fields__}
    return sorted(variable for variable in environment if variable.startswith(PREFIX) and variable not in names)


def _read(name: str, text: str) -> object:
    kind = next(field.type for field in msgspec.structs.fields(Settings) if field.name == name)
    value: object = [part.strip() for part in text.split(",") if part.strip()] if name == "cors_origins" else text
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise SettingError(f"{PREFIX}{name.upper()}={text!r}: {error}") from error
