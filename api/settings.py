"""The settings of the server, from environment variables with the prefix ``FRANCHISE_``."""

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
"""The maximum seconds of a long poll."""

Count = Annotated[int, Meta(ge=1)]
Port = Annotated[int, Meta(ge=0, le=65535)]
LogLevel = Literal["debug", "info", "warning", "error"]


class SettingError(ValueError):
    """An invalid setting; the message names the variable."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a server; the defaults suit a single machine."""

    database_url: Annotated[
        str,
        Meta(
            description="The database: `sqlite:///file` (relative to the working directory; `sqlite:////path` is "
            "absolute), `postgresql://user:password@host/name`, or `memory:`."
        ),
    ] = "sqlite:///franchise.db"
    host: Annotated[str, Meta(description="Address to listen on.", min_length=1)] = "127.0.0.1"
    port: Annotated[Port, Meta(description="Port to listen on, 0 for any free one. `PORT` works too.")] = 8000
    workers: Annotated[Count, Meta(description="Number of processes that serve requests.")] = 1
    tls_certificate: Annotated[
        str, Meta(description="PEM file with the certificate chain, for HTTPS with TLS 1.3.")
    ] = ""
    tls_key: Annotated[
        str,
        Meta(description="PEM file with its private key, without a passphrase: RSA, ECDSA (P-256, P-384) or Ed25519."),
    ] = ""
    http: Annotated[
        Literal["1", "auto"],
        Meta(description="`1` for HTTP/1.1, `auto` for HTTP/2 too. `auto` never closes idle connections."),
    ] = "1"
    connections: Annotated[
        Count, Meta(description="Maximum open connections per process. Further clients wait to be accepted.")
    ] = 2000
    head_timeout: Annotated[
        Count, Meta(description="Seconds until the headers of a request must be complete.", le=60)
    ] = 10
    head_limit: Annotated[int, Meta(description="Maximum bytes of the headers of a request.", ge=8192)] = 64 * 1024
    body_timeout: Annotated[
        Count, Meta(description="Seconds until the body of a request must be complete.", le=600)
    ] = 30
    trusted_proxies: Annotated[
        str,
        Meta(
            description="Comma-separated addresses or networks of proxies whose `X-Forwarded-For` and "
            "`X-Forwarded-Proto` are trusted."
        ),
    ] = ""
    rate_limit: Annotated[
        int,
        Meta(
            description="Requests per minute, client (IP address) and process; a tenth of them at once; 0: no limit. "
            "Expensive requests count several times, `/health` does not count.",
            ge=0,
        ),
    ] = 60_000
    seats_limit: Annotated[
        int,
        Meta(
            description="Seats per hour, client and process, except those taken with the token of the table's host; "
            "0: no limit.",
            ge=0,
        ),
    ] = 100
    storage_limit: Annotated[
        int,
        Meta(
            description="Bytes that a client may store per hour and process (events, tokens, keys); 0: no limit.",
            ge=0,
        ),
    ] = 256 * 1024 * 1024
    app_factor: Annotated[
        Count, Meta(description="The number of clients as which an application counts for all limits of clients.")
    ] = 100
    keys_kept: Annotated[
        Count,
        Meta(description="Days until an `Idempotency-Key` expires.", le=3650),
    ] = 30
    open_tables_kept: Annotated[
        int,
        Meta(
            description="Delete tables that never started after this many days without activity; 0: never.",
            ge=0,
            le=3650,
        ),
    ] = 30
    cors_origins: Annotated[
        tuple[str, ...],
        Meta(description="Comma-separated origins whose pages may call the API; `*`: all; empty: none."),
    ] = ("*",)
    body_limit: Annotated[Count, Meta(description="Maximum bytes of a request body.")] = 64 * 1024
    record_limit: Annotated[Count, Meta(description="Maximum bytes of an imported record.")] = 4 * 1024 * 1024
    cache_bytes: Annotated[Count, Meta(description="Approximate bytes per process for games and views in memory.")] = (
        256 * 1024 * 1024
    )
    database_timeout: Annotated[
        Count, Meta(description="Seconds to wait for the database before a request gets 503.", le=600)
    ] = 10
    heavy_requests: Annotated[
        Count,
        Meta(description="Queue length per process for audits, exports, imports, forks, hints and PNG images."),
    ] = 100
    heavy_requests_per_client: Annotated[
        Count, Meta(description="Maximum queue entries of one client. One of them runs at a time.")
    ] = 25
    bot_workers: Annotated[
        int,
        Meta(
            description="Number of processes that compute the moves of bots, for each serving process; 0: no bots move "
            "there, not even for absent players, and hints are off.",
            ge=0,
            le=64,
        ),
    ] = 1
    bot_seconds: Annotated[
        float, Meta(description="Seconds that the bot `planner` thinks about a decision.", gt=0, le=60)
    ] = 0.5
    wait_limit: Annotated[int, Meta(description="Maximum seconds of a long poll.", ge=0, le=LONGEST_WAIT)] = (
        LONGEST_WAIT
    )
    watchers: Annotated[int, Meta(description="Maximum streams and long polls per process.", ge=0)] = 1000
    watchers_per_client: Annotated[
        int, Meta(description="Maximum streams and long polls per client and process.", ge=0)
    ] = 100
    heartbeat: Annotated[
        Count, Meta(description="Seconds without an event after which a stream sends a heartbeat.", le=3600)
    ] = 15
    log_level: Annotated[
        LogLevel, Meta(description="`info` logs each request, `warning` only warnings and errors.")
    ] = "info"
    metrics: Annotated[
        str,
        Meta(
            description="Address for Prometheus metrics, such as `127.0.0.1:9100`; empty: off. Do not make it public."
        ),
    ] = ""
    webhook_allow: Annotated[
        str,
        Meta(
            description="Comma-separated addresses or networks of your own receivers of webhooks, such as "
            "`127.0.0.0/8,10.0.0.0/8`. Webhooks go there with `http` and to any port, too; otherwise only with `https` "
            "to public addresses, port 443 or 8443."
        ),
    ] = ""
    region_tiles: Annotated[
        str, Meta(description="JSON file with your own twenty tiles for the Region tiles expansion.")
    ] = ""


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Read the settings; raise ``SettingError`` for the first invalid one."""
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
        raise SettingError(f"{PREFIX}DATABASE_URL=memory: works with one process only. Set {PREFIX}WORKERS=1.")
    if bool(settings.tls_certificate) != bool(settings.tls_key):
        raise SettingError(f"{PREFIX}TLS_CERTIFICATE and {PREFIX}TLS_KEY belong together. Set both or neither.")
    trusted_networks(settings)
    webhook_networks(settings)
    if settings.metrics:
        metrics_address(settings)
    return settings


def metrics_address(settings: Settings) -> tuple[str, int]:
    """Parse the address of the metrics; raise ``SettingError`` if it is invalid or the API's own."""
    host, _, port = settings.metrics.rpartition(":")
    if not host or not (port.isascii() and port.isdecimal()) or int(port) > 65535:
        raise SettingError(f"{PREFIX}METRICS={settings.metrics!r}: use an address with a port, such as 127.0.0.1:9100")
    if int(port) == settings.port != 0:
        raise SettingError(f"{PREFIX}METRICS={settings.metrics!r}: the API uses this port. Choose another one.")
    return host.removeprefix("[").removesuffix("]"), int(port)


def trusted_networks(settings: Settings) -> list[IPv4Network | IPv6Network]:
    """Parse the trusted proxies; raise ``SettingError`` if one is invalid."""
    return _networks(
        "TRUSTED_PROXIES", settings.trusted_proxies, "trusts every client. Name the addresses of the proxies"
    )


def webhook_networks(settings: Settings) -> list[IPv4Network | IPv6Network]:
    """Parse the networks of receivers of one's own; raise ``SettingError`` if one is invalid."""
    return _networks(
        "WEBHOOK_ALLOW", settings.webhook_allow, "allows every address. Name the addresses of your receivers"
    )


def read_region_tiles(settings: Settings) -> tuple[RegionTile, ...]:
    """Read the tiles of the Region tiles expansion: the built-in ones or the operator's own (R12.7)."""
    if not settings.region_tiles:
        return load_region_tiles()
    try:
        return load_region_tiles(Path(settings.region_tiles).read_bytes())
    except (OSError, BoardError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise SettingError(f"{PREFIX}REGION_TILES={settings.region_tiles}: {why}") from error


def unknown_settings(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return unknown variables with the prefix, which are probably typos."""
    names = {PREFIX + name.upper() for name in Settings.__struct_fields__}
    return sorted(variable for variable in environment if variable.startswith(PREFIX) and variable not in names)


def _read(name: str, text: str) -> object:
    kind = next(field.type for field in msgspec.structs.fields(Settings) if field.name == name)
    value: object = [part.strip() for part in text.split(",") if part.strip()] if name == "cors_origins" else text
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise SettingError(f"{PREFIX}{name.upper()}={text!r}: {error}") from error


def _networks(name: str, given: str, all_of_them: str) -> list[IPv4Network | IPv6Network]:
    try:
        networks = [ip_network(part.strip()) for part in given.split(",") if part.strip()]
    except ValueError as error:
        raise SettingError(f"{PREFIX}{name}={given!r}: {error}") from error
    if any(network.prefixlen == 0 for network in networks):
        raise SettingError(f"{PREFIX}{name}={given!r}: this {all_of_them}.")
    return networks
