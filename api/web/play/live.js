// Following games as they are played: streams, and questions for news where streams do not get through.

/** @import { GameEvent, GameEntry } from "openapi" */
/** @import { Connection } from "../types.js" */

import { Problem, isFinal, pause, send } from "./api.js";
import { takeSlot } from "./slots.js";

const SILENCE = 40_000;
const WAIT = 20;
const ASK_AGAIN = 4_000;
const LONGEST = 30;

/**
 * Yield every event of a game after a version, once and in order, for as long as the signal allows.
 *
 * The stream is read by `fetch`, since an EventSource cannot send a token. When it was silent for longer than two
 * heartbeats, something on the way holds it back: then it asks for the events instead, and keeps to that. It also asks
 * while other tabs have all connections that may stay open.
 * @param {string} game
 * @param {object} options
 * @param {number} options.version
 * @param {() => string | undefined} options.token
 * @param {AbortSignal} options.signal
 * @param {(state: Connection) => void} options.tell
 */
export async function* follow(game, { version, token, signal, tell }) {
  let heldBack = false;
  let failures = 0;
  const held = () => {
    heldBack = true;
  };
  while (!signal.aborted) {
    const release = await takeSlot();
    try {
      const wait = release ? WAIT : 0;
      const events =
        heldBack || !release
          ? poll(game, version, wait, token(), signal)
          : stream(game, version, token(), signal, held);
      for await (const event of events) {
        tell("live");
        failures = 0;
        if (!event) continue;
        version = event.version;
        yield event;
      }
      await pause(wait ? 1000 : ASK_AGAIN);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && isFinal(error)) throw error;
      tell(heldBack && !(error instanceof Problem) ? "live" : "lost");
      failures += 1;
      await pause(1000 * ((error instanceof Problem && error.retryAfter) || secondsToWait(failures)));
    } finally {
      release?.();
    }
  }
}

/**
 * Wait longer after each failure, and each page for another time: all lose a server at once.
 * @param {number} failures
 */
const secondsToWait = (failures) => Math.min(2 ** failures, LONGEST) * (0.5 + Math.random());

/**
 * Yield the events of a stream, and null whenever anything else shows that it goes on.
 * @param {string} game
 * @param {number} version
 * @param {string | undefined} token
 * @param {AbortSignal} signal
 * @param {() => void} held
 */
async function* stream(game, version, token, signal, held) {
  const hangUp = new AbortController();
  const either = AbortSignal.any([signal, hangUp.signal]);
  /** @template T @param {Promise<T>} coming */
  const inTime = (coming) => {
    const timer = setTimeout(() => {
      held();
      hangUp.abort();
    }, SILENCE);
    return coming.finally(() => clearTimeout(timer));
  };
  const headers = { "Last-Event-ID": String(version) };
  try {
    const answer = await inTime(
      send("GET", `/v1/games/${game}/stream`, { token, headers, signal: either, streamed: true }),
    );
    yield null;
    const body = /** @type {ReadableStream} */ (answer.body);
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (let text = "", piece; !(piece = await inTime(reader.read())).done;) {
      const messages = (text + piece.value).split("\n\n");
      text = messages.pop() || "";
      yield* messages.map(eventOf);
    }
  } finally {
    hangUp.abort();
  }
}

/**
 * The event that a message of a stream holds, null for heartbeats and positions.
 * @param {string} message
 * @returns {GameEvent | null}
 */
function eventOf(message) {
  const { event, data } = Object.fromEntries(message.split("\n").map((line) => line.split(/: (.*)/)));
  return data && !event ? JSON.parse(data) : null;
}

/**
 * Yield null once an answer has come, and the events in it.
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
 * Follow the public list and some games on one connection: the browser connects again by itself.
 * @param {string[]} games whose lines come also if they are not listed
 * @param {object} listener
 * @param {(line: GameEntry) => void} listener.line
 * @param {(id: string) => void} listener.gone
 * @param {(state: Connection) => void} listener.tell
 */
export function followList(games, { line, gone, tell }) {
  const query = new URLSearchParams([["list", "true"], ...games.slice(0, 100).map((game) => ["game", game])]);
  const source = new EventSource(`/v1/stream?${query}`);
  /** @template T @param {(data: T) => void} use @returns {(message: MessageEvent) => void} */
  const parsed = (use) => (message) => use(JSON.parse(message.data));
  source.addEventListener("open", () => tell("live"));
  source.addEventListener("error", () => tell("lost"));
  source.addEventListener("game", parsed(line));
  source.addEventListener("listing", parsed(line));
  source.addEventListener(
    "gone",
    parsed(({ id }) => gone(id)),
  );
  return source;
}
