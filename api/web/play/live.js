// Follow games by streams, or by polling where streams are blocked.

/** @import { GameEvent, GameEntry } from "openapi" */
/** @import { Connection } from "../types.js" */

import { Problem, isFinal, pause, send } from "./api.js";
import { showProblem } from "./notices.js";
import { takeSlot } from "./slots.js";

const SILENCE_TIMEOUT = 40_000;
const WAIT = 20;
const POLL_PAUSE = 4_000;
const LONGEST_PAUSE = 30;

/**
 * Yield every event of a game after a version, once and in order, until the signal aborts.
 *
 * It reads the stream by `fetch`, since an EventSource cannot send a token. If the stream is silent for longer than two
 * heartbeats, a proxy blocks it: from then on it polls. It also polls while other tabs use all long-lived connections.
 * @param {string} game
 * @param {object} options
 * @param {number} options.version
 * @param {() => string | undefined} options.token
 * @param {AbortSignal} options.signal
 * @param {(state: Connection) => void} options.onConnection
 */
export async function* follow(game, { version, token, signal, onConnection }) {
  let blocked = false;
  let failures = 0;
  const onTimeout = () => {
    blocked = true;
  };
  while (!signal.aborted) {
    const release = await takeSlot();
    try {
      const wait = release ? WAIT : 0;
      const events =
        blocked || !release
          ? poll(game, version, wait, token(), signal)
          : stream(game, version, token(), signal, onTimeout);
      for await (const event of events) {
        onConnection("live");
        failures = 0;
        if (!event) continue;
        version = event.version;
        yield event;
      }
      await pause(wait ? 1000 : POLL_PAUSE);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && isFinal(error)) throw error;
      if (error instanceof Problem && error.limit) showProblem(error);
      onConnection(blocked && !(error instanceof Problem) ? "live" : "lost");
      failures += 1;
      await pause(1000 * ((error instanceof Problem && error.retryAfter) || secondsToWait(failures)));
    } finally {
      release?.();
    }
  }
}

/**
 * Wait longer after each failure, and for a random time: all pages lose a server at the same moment.
 * @param {number} failures
 */
const secondsToWait = (failures) => Math.min(2 ** failures, LONGEST_PAUSE) * (0.5 + Math.random());

/**
 * Yield the events of a stream, and null for everything else that shows that the connection works.
 * @param {string} game
 * @param {number} version
 * @param {string | undefined} token
 * @param {AbortSignal} signal
 * @param {() => void} onTimeout
 */
async function* stream(game, version, token, signal, onTimeout) {
  const connection = new AbortController();
  const either = AbortSignal.any([signal, connection.signal]);
  /** @template T @param {Promise<T>} promise */
  const withTimeout = (promise) => {
    const timer = setTimeout(() => {
      onTimeout();
      connection.abort();
    }, SILENCE_TIMEOUT);
    return promise.finally(() => clearTimeout(timer));
  };
  const headers = { "Last-Event-ID": String(version) };
  try {
    const response = await withTimeout(
      send("GET", `/v1/games/${game}/stream`, { token, headers, signal: either, streamed: true }),
    );
    yield null;
    const body = /** @type {ReadableStream} */ (response.body);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = "", chunk; !(chunk = await withTimeout(reader.read())).done;) {
      const messages = (text + chunk.value).split("\n\n");
      text = messages.pop() || "";
      yield* messages.map(eventOf);
    }
  } finally {
    connection.abort();
  }
}

/**
 * Return the event in a message of a stream, null for heartbeats and positions.
 * @param {string} message
 * @returns {GameEvent | null}
 */
function eventOf(message) {
  const { event, data } = Object.fromEntries(message.split("\n").map((line) => line.split(/: (.*)/)));
  return data && !event ? JSON.parse(data) : null;
}

/**
 * Yield null for the response, then its events.
 * @param {string} game
 * @param {number} version
 * @param {number} wait
 * @param {string | undefined} token
 * @param {AbortSignal} signal
 */
async function* poll(game, version, wait, token, signal) {
  const path = `/v1/games/${game}/events?view=full&wait=${wait}&after=${version}`;
  const { items } = await (await send("GET", path, { token, signal })).json();
  yield null;
  yield* items;
}

/**
 * Follow the lobby and some games on one connection. The browser reconnects by itself.
 * @param {string[]} games whose entries are sent even if they are not in the lobby
 * @param {object} listener
 * @param {(entry: GameEntry) => void} listener.changed
 * @param {(id: string) => void} listener.removed
 * @param {(state: Connection) => void} listener.onConnection
 */
export function followLobby(games, { changed, removed, onConnection }) {
  const query = new URLSearchParams([["list", "true"], ...games.slice(0, 100).map((game) => ["game", game])]);
  const source = new EventSource(`/v1/stream?${query}`);
  /** @template T @param {(data: T) => void} use @returns {(message: MessageEvent) => void} */
  const parsed = (use) => (message) => use(JSON.parse(message.data));
  source.addEventListener("open", () => onConnection("live"));
  source.addEventListener("error", () => onConnection("lost"));
  source.addEventListener("game", parsed(changed));
  source.addEventListener("listing", parsed(changed));
  source.addEventListener(
    "gone",
    parsed(({ id }) => removed(id)),
  );
  return source;
}
