// One game as this browser knows it: the newest state, the rights of its tokens, and changes.

/** @import { Action, NoBody, State, Summary, Undo, UndoAnswer, UndoOffer } from "openapi" */
/** @import { Connection } from "../types.js" */

import { Problem, get, isFinal, pause, post, randomKey, remove } from "./api.js";
import { coalesced } from "./coalesced.js";
import { follow } from "./live.js";
import { dropSeat, keepTokens, lookUp, readingToken, refuse, tokensOf } from "./tokens.js";

/** The statuses that show that the page is out of date: the game is read again. */
const OUTDATED = [401, 403, 409, 412];

const MOMENT = 20;
const PAUSE = 2000;
const PATIENCE = 10_000;

export class Session extends EventTarget {
  /** @type {State | null} */
  #state = null;
  #newest = 0;
  #catchingUp = false;
  /**
   * Settled when the response to a change has arrived; null without one.
   * @type {Promise<void> | null}
   */
  #changing = null;
  #leave = new AbortController();

  /** @param {string} id of a game */
  constructor(id) {
    super();
    this.id = id;
    this.path = /** @type {const} */ (`/v1/games/${id}`);
  }

  get isLoaded() {
    return this.#state !== null;
  }

  get state() {
    if (!this.#state) throw new Error("The game has not been loaded.");
    return this.#state;
  }

  get tokens() {
    return tokensOf(this.id);
  }

  /** The options of requests that read. */
  get reading() {
    return { token: readingToken(this.id) };
  }

  /** Whether the host's token plays every seat. */
  get playsAll() {
    const { hot_seat, undo } = this.state.game.options;
    return Boolean(this.tokens.host) && (hot_seat || undo === "free");
  }

  /** The seats of the people at this browser. The host of a hot seat has all. */
  get mySeats() {
    const all = this.state.game.options.hot_seat && this.tokens.host;
    return this.state.game.seats.flatMap(({ seat, name }) => (name && (all || this.tokens.seats[seat]) ? [seat] : []));
  }

  /** Whether a person at this browser has to decide. */
  get myTurn() {
    const { to_play, seats } = this.state.game;
    const person = seats.find(({ seat, bot, stand_in }) => seat === to_play && !bot && !stand_in);
    return Boolean(person && this.tokenOf(person.seat));
  }

  /**
   * Return a token that acts for a seat: its own, or the host's if it plays every seat.
   * @param {number | null} seat
   */
  tokenOf(seat) {
    const own = seat === null ? undefined : this.tokens.seats[seat];
    return own || (this.playsAll ? this.tokens.host : undefined);
  }

  load = coalesced(async () => {
    const state = await this.#read();
    await this.#bindSeats(state.game);
    this.#show(state);
    return this.state;
  });

  /** Read the state by the first token that still works, or without one. */
  async #read() {
    for (;;) {
      const { token } = this.reading;
      try {
        return await get(`${this.path}/state`, { token, cache: "no-cache" });
      } catch (error) {
        if (this.tokens.renewal || !refuse(token, error)) throw error;
      }
    }
  }

  /**
   * Look up the seats of the tokens once after the start, since seats may get other numbers then.
   * @param {Summary} game
   */
  async #bindSeats({ status }) {
    const tokens = this.tokens;
    const own = Object.values(tokens.seats);
    if (status === "open" || tokens.bound || !own.length) return;
    const found = await lookUp(own);
    const seats = found.flatMap((seat, index) => (seat ? [[seat.seat, own[index]]] : []));
    keepTokens(this.id, { bound: true, seats: Object.fromEntries(seats) });
  }

  /** @param {State} state */
  #show(state) {
    if (this.#state && state.version < this.#state.version) return;
    this.#state = state;
    this.dispatchEvent(new Event("state"));
  }

  /**
   * Follow the game until the session is closed.
   * @param {(state: Connection) => void} onConnection
   * @param {(problem: unknown) => void} refused
   */
  async follow(onConnection, refused) {
    const failed = new AbortController();
    const signal = AbortSignal.any([this.#leave.signal, failed.signal]);
    const version = this.state.version;
    try {
      for await (const event of follow(this.id, { version, token: () => this.reading.token, signal, onConnection })) {
        this.#newest = event.version;
        this.#catchUp(onConnection).catch((error) => {
          failed.abort();
          refused(error);
        });
      }
    } catch (error) {
      refused(error);
    }
  }

  /**
   * Read the state until it is the newest. The response to a change of this page may bring it first.
   * @param {(state: Connection) => void} onConnection
   */
  async #catchUp(onConnection) {
    if (this.#catchingUp) return;
    this.#catchingUp = true;
    try {
      await pause(MOMENT);
      await this.#responded();
      while (this.#newest > this.state.version && !this.#leave.signal.aborted) {
        if (!(await this.#loaded(onConnection))) await pause(PAUSE);
        await this.#responded();
      }
    } finally {
      this.#catchingUp = false;
    }
  }

  /** Wait for the response to a change of this page, with a timeout: others may play on. */
  async #responded() {
    if (this.#changing) await Promise.race([this.#changing, pause(PATIENCE)]);
  }

  /** @param {(state: Connection) => void} onConnection */
  async #loaded(onConnection) {
    try {
      const state = await this.load();
      onConnection("live");
      return state;
    } catch (error) {
      if (isFinal(error) || this.#leave.signal.aborted) throw error;
      onConnection("lost");
      return null;
    }
  }

  close() {
    this.#leave.abort();
  }

  /** @param {Action} action of the seat that has to decide */
  move(action) {
    return this.#change("moves", action, this.tokenOf(this.state.game.to_play));
  }

  /** @param {number} seat of this browser */
  resign(seat) {
    return this.#change("moves", { type: "resign" }, this.tokenOf(seat));
  }

  /**
   * Undo the last action, or all after a version.
   * @param {number | null} [to]
   */
  undo(to = null) {
    return this.#change("undo", to === null ? {} : { to }, this.#tokenToAsk(this.state.game.undo));
  }

  redo() {
    return this.#change("redo", {}, this.#tokenToAsk(this.state.game.redo));
  }

  /**
   * Answer a proposed undo.
   * @param {number} seat
   * @param {boolean} accept
   */
  answerUndo(seat, accept) {
    return this.#change("undo/answer", { accept }, this.tokenOf(seat));
  }

  /**
   * Return true if this browser may ask for an undo or redo that the summary offers.
   * @param {UndoOffer} offer
   */
  mayAsk(offer) {
    return offer.to !== null && Boolean(this.#tokenToAsk(offer));
  }

  /**
   * Return the token for an undo or redo: the host's if it plays every seat, since it needs no consent.
   * @param {UndoOffer} offer
   */
  #tokenToAsk({ by }) {
    return this.playsAll ? this.tokens.host : by.map((seat) => this.tokenOf(seat)).find(Boolean);
  }

  /**
   * Leave an open table.
   * @param {number} seat of this browser
   */
  leave(seat) {
    const left = remove(`${this.path}/seats/${seat}`, { token: this.tokens.seats[seat] });
    return this.hold(left.then(() => dropSeat(this.id, seat)));
  }

  /** Delete the game as its host. */
  delete() {
    const deleted = remove(this.path, { token: this.tokens.host });
    return this.hold(deleted.then(() => this.close()));
  }

  /**
   * Renew the token of a seat. The key of the request is stored until the response has arrived, so that a lost response
   * can be fetched again, also after a reload.
   * @param {number} seat of this browser
   */
  async renewToken(seat) {
    const { seats, renewal } = this.tokens;
    const key = renewal?.seat === seat ? renewal.key : randomKey();
    keepTokens(this.id, { renewal: { seat, key } });
    const options = { token: seats[seat], headers: { "Idempotency-Key": key } };
    const response = post(`${this.path}/seats/${seat}/token`, {}, options);
    try {
      await this.hold(
        response.then(({ token }) => keepTokens(this.id, { seats: { [seat]: token }, renewal: undefined })),
      );
    } catch (error) {
      if (isFinal(error)) keepTokens(this.id, { renewal: undefined });
      throw error;
    }
    await this.load();
  }

  /**
   * Read nothing until a change of this page is complete, since it may revoke the token that would be used.
   * @template T
   * @param {Promise<T>} change
   */
  hold(change) {
    const done = () => {
      this.#changing = null;
    };
    this.#changing = change.then(done, done);
    return change;
  }

  /**
   * Change the game at the version that is shown. If the server refuses because it has a newer one, read the game again.
   * @param {"moves" | "undo" | "redo" | "undo/answer"} operation
   * @param {Action | Undo | NoBody | UndoAnswer} body
   * @param {string | undefined} token
   */
  async #change(operation, body, token) {
    const headers = { "If-Match": `"${this.state.version}"` };
    const response = post(`${this.path}/${operation}?include=state`, body, { token, headers });
    try {
      this.#show((await this.hold(response)).state);
    } catch (error) {
      refuse(token, error);
      if (error instanceof Problem && OUTDATED.includes(error.status)) await this.load().catch(() => {});
      throw error;
    }
  }
}
