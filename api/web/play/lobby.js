// The lobby: my games, open tables, games in progress and finished games.

/** @import { GameEntry, Status } from "openapi" */
/** @import { Child, Connection, Mine } from "../types.js" */

import { get } from "./api.js";
import { button, element, field, fill, form } from "./dom.js";
import { entryItem } from "./entries.js";
import { followLobby } from "./live.js";
import { attempt, notify, showConnection, showProblem, showTab } from "./notices.js";
import { recordDrop } from "./records.js";
import { takeSlot } from "./slots.js";
import { adoptToken, goTo, myGames, onTokensChanged } from "./tokens.js";
import { welcome } from "./welcome.js";

const PAGE = 60;
const POLL_PAUSE = 4_000;
const PRIVATE_PAUSE = 15_000;
const DRAW_DELAY = 20;
const GAME = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** @type {[status: Status, title: string, nothing: string][]} */
const SECTIONS = [
  ["open", "Open tables", "No table is waiting for players. Open a new one and invite others."],
  ["playing", "Games in progress", "No game is in progress."],
  ["finished", "Finished games", "No game has finished yet."],
];

/**
 * Show the lobby, or the form for a new table if the address says `#new`.
 * @param {HTMLElement} main
 */
export async function lobbyPage(main) {
  /** @type {Lobby | null} */
  let lobby = null;
  const show = async () => {
    lobby?.close();
    lobby = null;
    if (location.hash === "#new") return (await import("./create.js")).newTable(main);
    document.title = "Franchise: lobby";
    lobby = new Lobby(main);
    return lobby.open();
  };
  addEventListener("hashchange", () => attempt(show));
  await show();
}

class Lobby {
  /** @type {Map<string, GameEntry>} */
  #entries = new Map();
  /** @type {Map<string, Mine>} */
  #mine = new Map();
  /** @type {string | null} */
  #next = null;
  #player = "";
  /** @type {EventSource | null} */
  #source = null;
  /** @type {null | (() => void)} */
  #release = null;
  #timer = 0;
  #shown = false;

  /** @param {HTMLElement} main */
  constructor(main) {
    this.lists = element("div", { class: "lists" });
    fill(
      main,
      element(
        "div",
        { class: "lobby" },
        element("div", { class: "lists" }, welcome(), this.lists),
        element("aside", { "aria-label": "Join, find or import a game" }, ...this.#aside()),
      ),
    );
  }

  #aside() {
    return [
      element("section", { class: "card" }, element("h2", {}, "Join or continue a game"), joinForm()),
      element("section", { class: "card" }, element("h2", {}, "Find a player"), this.#searchForm()),
      element("section", { class: "card" }, element("h2", {}, "Import a game"), recordDrop()),
    ];
  }

  #searchForm() {
    const name = element("input", { type: "search", maxlength: 60, autocomplete: "off" });
    const search = () => {
      this.#player = name.value.trim();
      attempt(() => this.#read());
    };
    return form(search, { role: "search" }, field("Name", name), element("button", {}, "Find"));
  }

  async open() {
    await attempt(() => Promise.all([this.#read(), this.#readMine()]));
    if (this.closed) return;
    onTokensChanged(() => this.closed || attempt(() => this.#readMine()));
    this.#timer = setInterval(() => this.#readPrivate(), PRIVATE_PAUSE);
    await this.#follow();
  }

  close() {
    this.#source?.close();
    this.#release?.();
    clearInterval(this.#timer);
    this.closed = true;
  }

  /** @param {string | null} [cursor] */
  async #read(cursor = null) {
    const query = new URLSearchParams({ limit: String(PAGE) });
    if (cursor) query.set("cursor", cursor);
    if (this.#player) query.set("player", this.#player);
    const { items, next } = await get(`/v1/games?${query}`, { cache: "no-cache" });
    if (!cursor) this.#entries.clear();
    for (const entry of items) this.#entries.set(entry.id, entry);
    this.#next = next;
    this.#draw();
  }

  async #readMine() {
    const found = await myGames();
    this.#mine = new Map(found.map((mine) => [mine.game.id, mine]));
    this.#draw();
  }

  /** Follow the lobby, or poll it while other tabs use all long-lived connections. */
  async #follow() {
    if (this.closed) return;
    this.#release = await takeSlot();
    if (!this.#release) {
      this.#poll();
      return;
    }
    const open = [...this.#mine.values()].filter(({ game }) => !game.options.private).map(({ game }) => game.id);
    this.#source = followLobby(open, {
      changed: (entry) => this.#changed(entry),
      removed: (id) => this.#removed(id),
      onConnection: (state) => this.#connectionChanged(state),
    });
  }

  /** @param {Connection} state */
  #connectionChanged(state) {
    showConnection(state);
    if (this.#source?.readyState !== EventSource.CLOSED) return;
    this.#release?.();
    this.#poll();
  }

  #poll() {
    setTimeout(async () => {
      const read = Promise.all([this.#read(), this.#readMine()]);
      await read.then(
        () => showConnection("live"),
        () => showConnection("lost"),
      );
      await this.#follow();
    }, POLL_PAUSE);
  }

  /** Poll private games: no stream has them. */
  #readPrivate() {
    const unfinished = [...this.#mine.values()].some(({ game }) => game.options.private && game.status !== "finished");
    if (unfinished) this.#readMine().catch(() => showConnection("lost"));
  }

  /** @param {GameEntry} entry */
  #changed(entry) {
    const known = this.#entries.get(entry.id);
    if (known?.version === entry.version && known.changed === entry.changed) return;
    if (!this.#player || known) this.#entries.set(entry.id, entry);
    if (this.#mine.has(entry.id)) this.#readMine().catch(showProblem);
    else this.#draw();
  }

  /** @param {string} id */
  #removed(id) {
    this.#entries.delete(id);
    this.#mine.delete(id);
    this.#draw();
  }

  /** Draw all lists once after a moment, however many entries change until then. */
  #draw() {
    if (this.#shown) return;
    this.#shown = true;
    setTimeout(() => {
      this.#shown = false;
      if (this.closed) return;
      fill(this.lists, this.#myGames(), ...SECTIONS.map((section) => this.#section(...section)), this.#more());
    }, DRAW_DELAY);
  }

  #myGames() {
    const mine = [...this.#mine.values()].sort(byTurn);
    const waiting = mine.filter(({ myTurn }) => myTurn).length;
    showTab(waiting ? `(${waiting}) Franchise: your turn` : "Franchise: lobby", waiting > 0);
    if (!mine.length) return null;
    return list(
      "My games",
      mine.map(({ game, myTurn, roles }) => entryItem(game, { myTurn, roles })),
    );
  }

  /** @param {Status} status @param {string} title @param {string} nothing */
  #section(status, title, nothing) {
    const all = [...this.#entries.values()].filter((entry) => entry.status === status);
    const others = all.filter((entry) => !this.#mine.has(entry.id));
    return list(
      title,
      others.sort(newestFirst).map((entry) => entryItem(entry)),
      all.length ? "Only your own games." : nothing,
    );
  }

  #more() {
    return (
      this.#next && button("Show older games", () => attempt(() => this.#read(this.#next)), { "data-focus": "more" })
    );
  }
}

/** @param {GameEntry} a @param {GameEntry} b */
const newestFirst = (a, b) => (a.opened < b.opened ? 1 : -1);

/**
 * Order my games: my turn, other unfinished games, finished games; in each group the last changed first.
 * @param {Mine} a
 * @param {Mine} b
 */
function byTurn(a, b) {
  /** @param {Mine} mine */
  const rank = ({ game, myTurn }) => (myTurn ? 0 : game.status === "finished" ? 2 : 1);
  return rank(a) - rank(b) || (a.game.changed_at < b.game.changed_at ? 1 : -1);
}

/** @param {string} title @param {Child[]} items @param {string} [nothing] */
function list(title, items, nothing) {
  return element(
    "section",
    { "aria-label": title },
    element("h2", {}, title, items.length > 0 && element("span", { class: "count" }, items.length)),
    items.length ? element("ul", { class: "games" }, items) : element("p", { class: "quiet" }, nothing),
  );
}

/** Make a field that takes the link or the id of a table, or a token. */
function joinForm() {
  const input = element("input", { required: true, autocomplete: "off", spellcheck: "false" });
  const join = async () => {
    const address = addressIn(input.value);
    if (address) location.assign(address);
    else await attempt(() => useToken(input.value.trim()));
  };
  return form(
    join,
    {},
    field(
      "Link, game id or token",
      input,
      "Paste the link from your host, or enter your token to continue a game on this device.",
    ),
    element("button", {}, "Go"),
  );
}

/** @param {string} text */
function addressIn(text) {
  const [game] = text.match(GAME) || [];
  const [, invite] = text.match(/#(invite=[\w-]+)/) || [];
  return game && `/play/${game.toLowerCase()}${invite ? `#${invite}` : ""}`;
}

/** @param {string} token */
async function useToken(token) {
  const found = await adoptToken(token);
  if (found) goTo(`/play/${found.game.id}`);
  else notify("This token no longer works. Ask the host for a new one.", "problem");
}
