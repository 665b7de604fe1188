// Requests to the API, and its problems.

/** @import { LimitName, Problem as ProblemBody } from "openapi" */
/** @import { Got, Options, Posted, Sent } from "../types.js" */

import { counted } from "./words.js";

const RETRIES = 2;
const PAUSE = 1000;
const LONGEST_PAUSE = 60_000;

/** @type {Record<LimitName, string>} */
const LIMITS = {
  requests: "The limit of requests per minute is reached.",
  seats: "The limit of seats taken per hour is reached.",
  storage: "The limit of data stored per hour is reached.",
  streams: "The limit of live connections at once is reached. Close other tabs with games.",
  work: "The limit of audits, records, forks, hints and images at once is reached.",
  connections: "The limit of connections at once is reached.",
};

/** A response other than success: a problem document (RFC 9457), or no response at all (status 0). */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {Partial<ProblemBody> & { title: string }} body
   * @param {number | null} [retryAfter] in seconds
   */
  constructor(status, body, retryAfter = null) {
    const detail = (body.limit && limitText(body.limit, body.retry_after)) || body.detail || "";
    super(detail || body.title);
    this.status = status;
    this.title = body.title;
    this.detail = detail;
    this.limit = body.limit;
    this.code = body.code;
    this.rule = body.rule;
    this.errors = body.errors || [];
    this.retryAfter = retryAfter;
  }

  /** The problem in one line. */
  get text() {
    const fields = this.errors.map(({ where, what }) => `${where}: ${what}`).join("; ");
    return [this.title, fields || this.detail].filter(Boolean).join(": ");
  }
}

/**
 * Say which limit was reached, and when to try again; nothing for a limit that this page does not know.
 * @param {LimitName} limit
 * @param {number | null | undefined} seconds
 */
function limitText(limit, seconds) {
  const when = seconds ? `Try again in ${retryText(seconds)}.` : "Waiting alone does not help.";
  return LIMITS[limit] && `${LIMITS[limit]} ${when}`;
}

/** @param {number} seconds */
const retryText = (seconds) => (seconds > 90 ? counted(Math.ceil(seconds / 60), "minute") : counted(seconds, "second"));

/**
 * Return true unless an error may pass by itself, so that a retry makes sense.
 * @param {unknown} error
 */
export const isFinal = (error) =>
  !(error instanceof Problem) || (error.status >= 400 && error.status < 500 && error.status !== 429);

const unreachable = () =>
  new Problem(0, { title: "The server cannot be reached", detail: "Nothing was lost. Try again in a moment." });

/**
 * Send a request and return the response, or throw the problem. Unless it is `streamed`, the response is complete.
 * @param {string} method
 * @param {string} path after the host, such as `/v1/games`
 * @param {Options & { body?: unknown, streamed?: boolean }} [options]
 */
export async function send(method, path, { token, body, headers = {}, signal, cache, streamed } = {}) {
  const sent = { ...headers };
  if (token) sent.Authorization = `Bearer ${token}`;
  if (body !== undefined) sent["Content-Type"] = "application/json";
  const response = await reach(path, streamed, {
    method,
    headers: sent,
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    signal,
    cache,
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** @param {string} path @param {boolean | undefined} streamed @param {RequestInit} options */
async function reach(path, streamed, options) {
  try {
    const response = await fetch(path, options);
    if (streamed) return response;
    const body = await response.arrayBuffer();
    return new Response(body.byteLength ? body : null, response);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw unreachable();
  }
}

/** @param {Response} response */
async function problemOf(response) {
  const retryAfter = Number(response.headers.get("Retry-After")) || null;
  const body = await response.json().catch(() => null);
  return new Problem(
    response.status,
    body?.title ? body : { title: response.statusText || `Status ${response.status}` },
    retryAfter,
  );
}

/**
 * Return the JSON of a response. A response without JSON does not come from the server but from something on the way.
 * @param {Response} response
 */
async function parsed(response) {
  return response.json().catch(() => {
    throw unreachable();
  });
}

/**
 * @template {string} Path
 * @param {Path} path
 * @param {Options} [options]
 * @returns {Promise<Got<Path>>}
 */
export const get = async (path, options) => parsed(await send("GET", path, options));

/**
 * @param {string} path
 * @param {Options} [options]
 */
export const remove = (path, options) => send("DELETE", path, options);

/**
 * Change something. The request has an idempotency key, so that it can be retried when no response arrives.
 * @template {string} Path
 * @param {Path} path
 * @param {Sent<Path> | string} body as an object or as JSON
 * @param {Options} [options]
 * @returns {Promise<Posted<Path>>}
 */
export async function post(path, body, options = {}) {
  const headers = { "Idempotency-Key": randomKey(), ...options.headers };
  for (let left = RETRIES; ; left -= 1) {
    try {
      return await parsed(await send("POST", path, { ...options, headers, body }));
    } catch (error) {
      if (!left || !(error instanceof Problem) || ![0, 503].includes(error.status)) throw error;
      await pause(error.retryAfter ? 1000 * error.retryAfter : PAUSE);
    }
  }
}

/**
 * @param {number} time in milliseconds, at most a minute
 * @returns {Promise<void>}
 */
export const pause = (time) => new Promise((done) => setTimeout(done, Math.min(time, LONGEST_PAUSE)));

/** Return 128 random bits. */
export function randomKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
