"""Keep a copy of all events for your own queries: `python copy_events.py http://127.0.0.1:8000 copy.db`."""

import json
import sqlite3
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import urlopen

server, file = sys.argv[1:]
copy = sqlite3.connect(file)
copy.executescript("""
    CREATE TABLE IF NOT EXISTS read_up_to (one INTEGER PRIMARY KEY, epoch TEXT, position INTEGER);
    CREATE TABLE IF NOT EXISTS events (game TEXT, version INTEGER, event TEXT, PRIMARY KEY (game, version));
""")


def read_on() -> None:
    """Store the next page and its position in one transaction, so that being killed loses and repeats nothing."""
    epoch, position = copy.execute("SELECT epoch, position FROM read_up_to").fetchone() or (None, 0)
    known = f"&epoch={epoch}" if epoch else ""
    with urlopen(f"{server}/v1/events?after={position}&limit=1000&wait=20{known}", timeout=60) as response:
        page = json.load(response)
    with copy:
        for item in page["items"]:
            if item["events"] and item["events"][0]["type"] in ("table_deleted", "game_removed"):
                copy.execute("DELETE FROM events WHERE game = ?", [item["game"]])
            rows = [(item["game"], event["version"], json.dumps(event)) for event in item["events"]]
            copy.executemany("INSERT INTO events VALUES (?, ?, ?)", rows)
        copy.execute("INSERT OR REPLACE INTO read_up_to VALUES (1, ?, ?)", [page["epoch"], page["next"]])


while True:
    try:
        read_on()
    except (HTTPException, OSError) as error:
        if isinstance(error, HTTPError) and error.code == 410:  # another epoch: start again
            copy.executescript("DELETE FROM events; DELETE FROM read_up_to;")
        else:
            print(error, file=sys.stderr)
            time.sleep(1)
