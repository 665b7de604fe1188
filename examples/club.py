"""A small frontend with a server of its own: accounts, my games, notices and exports.

`API=http://127.0.0.1:8000 KEY=<key of "python -m api app add club"> python examples/club.py 8080 club.db`
"""

import json
import os
import secrets
import sqlite3
import sys
import threading
import time
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

API, KEY = os.environ["API"], os.environ["KEY"]
port, file = int(sys.argv[1]), sys.argv[2]


def database() -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=30)


with database() as club:
    club.executescript("""
        CREATE TABLE IF NOT EXISTS accounts (id INTEGER PRIMARY KEY, name TEXT UNIQUE, secret TEXT UNIQUE);
        CREATE TABLE IF NOT EXISTS seats (game TEXT, seat INTEGER, account INTEGER, token TEXT);
        CREATE TABLE IF NOT EXISTS notices (account INT, game TEXT, version INT, UNIQUE (account, game, version));
        CREATE TABLE IF NOT EXISTS stream (one INTEGER PRIMARY KEY, last_id TEXT);
    """)


def ask(method: str, path: str, body: Any = None, account: int = 0, token: str = "", last_id: str = "") -> Any:
    """Send a request for an account. Its id is the `X-App-User`, so that one busy account slows no other."""
    headers = {"X-App-Key": KEY, "Content-Type": "application/json"}
    headers |= {"X-App-User": str(account)} if account else {}
    headers |= {"Authorization": f"Bearer {token}"} if token else {}
    headers |= {"Last-Event-ID": last_id} if last_id else {}
    data = None if body is None else json.dumps(body).encode()
    return urlopen(Request(f"{API}/v1{path}", data, headers, method=method), timeout=60)


def open_game(account: int, others: list[int]) -> Any:
    """Open a private game of some accounts, and keep their tokens: they never leave this server."""
    with database() as club:
        names = dict(club.execute("SELECT id, name FROM accounts"))
        seated = [account, *others]
        players = [{"name": names[one], "ref": f"account-{one}"} for one in seated]
        opened = {"seats": len(seated), "players": players, "options": {"private": True, "start": "introductory"}}
        created = json.load(ask("POST", "/games", opened, account))
        game = created["game"]["id"]
        for seat in created["seats"]:
            values = game, seat["seat"], seated[seat["seat"]], seat["token"]
            club.execute("INSERT INTO seats VALUES (?, ?, ?, ?)", values)
    return {"game": game}


def token_of(account: int, game: str) -> str:
    with database() as club:
        found = club.execute("SELECT token FROM seats WHERE account = ? AND game = ?", (account, game)).fetchone()
    return str(found[0]) if found else ""


def answer(method: str, path: str, body: Any, account: int) -> Any:
    """Return the response to a request of an account."""
    match method, path.strip("/").split("/"):
        case "POST", ["games"]:
            return open_game(account, body["with"])
        case "GET", ["games"]:
            return json.load(ask("GET", f"/games?ref=account-{account}", account=account))["items"]
        case "GET", ["games", game, ("state" | "record") as view]:
            return json.load(ask("GET", f"/games/{game}/{view}", account=account, token=token_of(account, game)))
        case "POST", ["games", game, "moves"]:
            return json.load(ask("POST", f"/games/{game}/moves", body, account, token_of(account, game)))
        case "GET", ["notices"]:
            with database() as club:
                return [game for (game,) in club.execute("SELECT game FROM notices WHERE account = ?", (account,))]
    return None


def follow() -> None:
    """Note for each account that its turn has come. The stream goes on after its last id, also after a restart."""
    while True:
        with database() as club:
            (last_id,) = club.execute("SELECT last_id FROM stream").fetchone() or ("",)
        try:
            with ask("GET", "/stream?app=true", last_id=last_id) as stream:
                event: dict[str, str] = {}
                for line in stream:
                    name, _, value = line.decode().rstrip("\n").partition(": ")
                    if name:
                        event[name] = value
                        continue
                    note(event)
                    event = {}
        except (HTTPException, OSError):
            time.sleep(1)


def note(event: dict[str, str]) -> None:
    """Store the notice of an event, and its id, in one transaction."""
    entry = json.loads(event.get("data", "{}")) if event.get("event") == "listing" else {}
    with database() as club:
        if entry.get("to_play") is not None:
            seat = entry["id"], entry["to_play"]
            for (account,) in club.execute("SELECT account FROM seats WHERE game = ? AND seat = ?", seat).fetchall():
                values = account, entry["id"], entry["version"]
                club.execute("INSERT OR IGNORE INTO notices VALUES (?, ?, ?)", values)
        if "id" in event:
            club.execute("INSERT OR REPLACE INTO stream VALUES (1, ?)", (event["id"],))


class Handler(BaseHTTPRequestHandler):
    """Checks the secret of an account, and passes the problems of the API on."""

    def do_GET(self) -> None:
        self.respond()

    def do_POST(self) -> None:
        self.respond()

    def respond(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or "{}")
        try:
            with database() as club:
                if self.path == "/accounts":
                    secret = secrets.token_urlsafe(16)
                    club.execute("INSERT INTO accounts (name, secret) VALUES (?, ?)", (body["name"], secret))
                    return self.send(200, {"secret": secret})
                sent = self.headers.get("authorization", "").removeprefix("Bearer ")
                found = club.execute("SELECT id FROM accounts WHERE secret = ?", (sent,)).fetchone()
            result = answer(self.command, self.path, body, found[0]) if found else None
            self.send(200, result) if result is not None else self.send(404, {"detail": "Nothing is here for you."})
        except HTTPError as error:
            self.send(error.code, json.load(error))

    def send(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


threading.Thread(target=follow, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
