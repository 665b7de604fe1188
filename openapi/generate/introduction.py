"""The introduction of the OpenAPI document and of the rendered reference."""

INTRODUCTION = """
Play the board game Franchise over HTTP. 2 to 5 players expand through the towns and cities of the USA of the 1960s,
gain market shares, and score cities and regions. The server knows the rules.

**A first game.** `create_game` opens a table and returns the tokens. `list_legal_moves` lists everything that the
player to move can do, with costs. `play_move` plays one of these actions and returns all events that follow. When
`status` in the summary is `finished`, `winners` has the winners. `watch_events` waits for the next event. `/rules`
shows the rules.

**Versions.** A game is a stream of events, numbered from 1. Its `version` is the number of the newest event. It never
decreases, even after an undo. Responses about a game have `ETag: "<version>"`. Send it as `If-None-Match` to get 304 if
the game has not changed, and as `If-Match` to get 412 if your decision is based on an older version. `?at=<version>`
shows every view as it was.

**Tokens.** Send `Authorization: Bearer <token>`. The token of a seat plays that seat. The host's token manages the
table. A token works for one game and is shown once, since the server stores only its hash. Public games can be read
without a token, `private` games cannot. The host can renew leaked tokens (`renew_token`, `renew_host_token`), kick
players before the start (`free_seat`), and require a code for joining (option `invite`).

**Retries.** Any POST accepts an `Idempotency-Key`. If no response arrives, repeat the request with the same key: it is
processed once, and you get its response, even after a restart of the server. Keys expire after 30 days, unless the
operator has changed that. Refused requests change nothing, so a repeated one is decided again. A key belongs to its
caller and path; with another body or query (except `include`) the response is 422 `key_reused`. Requests that change
nothing, such as previews, ignore keys. Tokens are derived from the key. So a response with tokens needs a random key of
at least 128 bits (22 or more characters), or a shorter key and your token of that game; otherwise the response is 422
`weak_key`. Anyone who knows such a key can fetch the tokens again: keep it secret. After a game was deleted or erased,
repeated requests get 404.

**One request for a screen.** `read_state` returns everything that a screen shows, all of one version. A move with
`?include=state` returns it too. Responses over 1 kB are compressed with gzip if the client accepts that, unless they
contain tokens.

**Problems** are `application/problem+json` (RFC 9457). `code` is stable: use it in programs. Show `detail` to people.
`type` links to an explanation. If the rules refuse an action, `rule` is the number of the rule, `needed` has the
requirements of the action, and `had` the actual situation.

**Pages.** Games, events and histories come in pages of up to `limit` items. `next` is the `cursor` of the next page, or
null. New items do not shift the pages. All pages of a history show the game as it was for the first page. Boards,
problems and legal moves fit on one page: they have no `limit` and no `cursor`, and their `next`, if any, is null.

**Limits.** A body has at most 64 KiB, a record 4 MiB. Clients that send too many requests, take too many seats at other
tables, or store too many bytes get 429 with `Retry-After`; nothing was done, and the request can be repeated later.
Tables that never start are deleted 30 days after the last change, unless the operator has changed that.

**Details.** Unknown parameters and fields are errors, so that typos are noticed. Only pages accept any parameters.
Ignore unknown fields and event types in responses: later versions add some. HEAD works wherever GET does. Input that is
not HTTP gets a bare 400 from the server. Every response has an `X-Request-Id`: include it in bug reports.
"""

TAGS = {
    "lobby": "Open, find, join and start tables. A game is `open` until the table is full or the host starts it, then "
    "`playing`, then `finished`.",
    "play": "Play actions, preview them, undo and redo them. Each request is one action. Everything that follows "
    "automatically (income, scoring, the next turn) is part of the response.",
    "views": "Views of a game, now or at any earlier version.",
    "pictures": "Pictures of the board, the scores and the map, now or at any earlier version. They describe "
    "themselves in words, and can be styled and patched.",
    "stream": "The events themselves: read, follow, audit, export, import and fork.",
    "webhooks": "Requests of this server to the servers of frontends.",
    "boards": "The printed map, for drawing.",
    "service": "Links, health and problems.",
}
