"""Starting the server, and keeping what is published of it current."""

import json
import sys
from argparse import Namespace
from pathlib import Path

from uvicorn import Config, Server
from uvicorn.supervisors import Multiprocess

from api.protocol import Protocol
from api.settings import read_region_tiles, read_settings
from domain.application import open_games
from domain.records import record_schema

RECORD_SCHEMA = Path(__file__).parent.parent / "openapi" / "record.schema.json"

STOPPING_SECONDS = 10
"""How long requests under way may take after the server was told to stop."""


def serve(_: Namespace) -> int:
    """Serve until somebody stops it."""
    settings = read_settings()
    read_region_tiles(settings)
    with open_games(settings.database_url):
        pass  # who has no such database or tiles is told at once, and not by each worker
    config = Config(
        "api.app:create_app",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http=Protocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies,
        timeout_graceful_shutdown=STOPPING_SECONDS,
    )
    listening = config.bind_socket()
    listening.listen(config.backlog)  # who is told the address may connect from then on
    host, port = listening.getsockname()[:2]
    address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    sys.stdout.write(f"The API is at {address}/v1, its reference at {address}/schema\n")
    sys.stdout.flush()
    server = Server(config)
    if settings.workers > 1:
        Multiprocess(config, sockets=[listening]).run()
        return 0
    server.run(sockets=[listening])
    return 0 if server.started else 1


def openapi(asked: Namespace) -> int:
    """Write the published documents, or tell whether they are current."""
    from api import document

    schema = json.dumps(record_schema(), indent=1, ensure_ascii=False) + "\n"
    if not asked.check:
        document.write()
        RECORD_SCHEMA.write_text(schema, encoding="utf-8")
        return 0
    drift = document.check()
    if drift is None and (not RECORD_SCHEMA.exists() or RECORD_SCHEMA.read_text(encoding="utf-8") != schema):
        drift = f"{RECORD_SCHEMA.name} is not current"
    if drift is not None:
        sys.stderr.write(f"{drift}\nmake openapi writes it anew.\n")
        return 1
    return 0
