"""The introduction of the OpenAPI document and of the rendered reference."""

INTRODUCTION = """
Play the board game Franchise over HTTP: 2 to 5 players expand over the towns and cities of the USA of the 1960s,
gain market shares, and score cities and regions. The server knows the rules; a client shows the board and asks.

**A first game.** `create_game` opens a table and gives the tokens. `list_legal_moves` says everything that the player
to move can do, with its cost. `play_move` does one of them and answers with everything that follows from it. When
`status` of the summary is `finished`, the game is over, and `winners` says who has won. `watch_events` waits for the
next event, so that a page can follow a game that others play. The rules themselves stand at `/rules`.

**Versions.** A game is a stream of events, numbered from 1. `version` is the number of the newest one and only ever
grows, also when something is taken back. Reading a game answers with `ETag: "<version>"`; with that in `If-None-Match`
an unchanged game answers 304, and with that in `If-Match` a decision that was based on an older version answers 412.
Every view can be had as it was, with `?at=<version>`.

**Tokens.** Send `Authorization: Bearer <token>`. The token of a seat plays that seat, the host's token runs the table.
A token opens the one game it was made for and is shown once: only its hash is stored. Reading needs none, unless the
game was made `private`. A host renews tokens that others may have (`renew_token`, `renew_host_token`), takes players
away before the start (`free_seat`), and with the option `invite` lets only those sit down who have its code.

**Doing things once.** Any POST may carry an `Idempotency-Key`. If no response arrives, send the same request with the
same key again: it is done once, and you get its response again, also after a restart. A key is known for 30 days,
unless the operator says otherwise; after that it is as good as new. Requests that were refused have done nothing, and
are decided again. The key counts for its caller and path; with another body or query (except `include`) it is 422
`key_reused`. On a request that changes nothing, such as a preview, a key is ignored. Tokens are derived from the key:
if a response holds tokens, send a secret of at least 128 random bits (22 or more characters), or a shorter key together
with your token of that game. Without either the request is refused (`weak_key`). Keep such a key like a token. After
the game was deleted or removed a repeated request is 404.

**One request for a screen.** `read_state` has everything that a screen shows, all of one version, and a move that is
sent with `?include=state` answers with it. Answers of more than 1 kB are compressed for clients that accept gzip,
unless they hold tokens.

**Problems** are `application/problem+json` (RFC 9457). Write programs against `code`, which is stable, and show
`detail` to people. `type` leads to the explanation of the code. When the rules refuse an action, `rule` has the number
of the rule, `needed` what the action would have needed and `had` what there was.

**Lists** of games, of events and the history come in pages: `limit` says how long, and `next` is the `cursor` of the
following page, or null. Pages stay as they are when something is added at the front; the pages of a history all show
the game as it was when the first was read. The boards, the problems and the legal moves come whole: they take neither
`limit` nor `cursor`, and where the boards have a `next`, it is null.

**Limits.** A body has at most 64 KiB (a record 4 MiB), and a client that asks too often, takes too many seats at tables
of others, or stores too many bytes an hour gets 429 with `Retry-After`: nothing was stored, and the same request is
welcome later. A table at which play has not begun is deleted 30 days after its last change, unless the operator says
otherwise.
Parameters and fields that do not exist are refused, so that a misspelt one is noticed. What is not HTTP at all is
answered with a bare 400 by the server, before this API sees it. HEAD answers wherever GET does. Every answer has an
`X-Request-Id`: name it when you report a fault.
"""

TAGS = {
    "lobby": "Open a table, find one, sit down, begin. A table is `open` until it is full or its host begins, then "
    "`playing`, then `finished`: the lobby and the archive are one list.",
    "play": "Decide: what is possible, what it would bring, do it, take it back. Everything atomic: one action a "
    "request, one city an increase. All that follows by itself (income, scoring, the next player) comes with it.",
    "views": "Look at a game: each view is made from the same events, now or at any earlier version.",
    "pictures": "See a game: its board and its scores as images, now or at any earlier version, and the printed map. "
    "What is seen stands in their descriptions in words; they may be styled and patched.",
    "stream": "The events themselves: read them all, wait for the next ones, prove that nobody has changed them, take "
    "the game elsewhere as one document, or branch off another game.",
    "boards": "The map as it is printed, for drawing it.",
    "service": "About the server: where to begin, is it well, what does a problem mean.",
}
