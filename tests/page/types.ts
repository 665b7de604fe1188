// The types of the pages' scripts must accept and refuse this: `make check-javascript` compiles it with them.
import type { Hint, Joined, Moved, State } from "openapi";

import { get, post } from "../../api/web/play/api.js";
import { element, select } from "../../api/web/play/dom.js";

export async function read(game: `/v1/games/${string}`): Promise<[State, Hint]> {
  return [await get(`${game}/state?at=3`), await get(`${game}/hint`)];
}

export async function change(game: `/v1/games/${string}`): Promise<[Joined, Moved, State]> {
  const joined = await post(`${game}/seats`, { name: "Ann", colour: "red" });
  const moved = await post(`${game}/moves`, { type: "end_turn" });
  const { state } = await post(`${game}/moves?include=state`, { type: "end_turn" });
  return [joined, moved, state];
}

export async function mistakes(game: `/v1/games/${string}`): Promise<unknown[]> {
  // @ts-expect-error: the path does not exist
  const misspelt: State = await get(`${game}/sate`);
  // @ts-expect-error: the path has no GET
  const unreadable: Moved = await get(`${game}/moves`);
  // @ts-expect-error: the path does not ask for the state
  const state: State = (await post(`${game}/moves`, { type: "end_turn" })).state;
  // @ts-expect-error: the colour does not exist
  const joined = await post(`${game}/seats`, { name: "Ann", colour: "green" });
  // @ts-expect-error: the path takes no body
  const sent = await post(`${game}/board`, {});
  return [misspelt, unreadable, state, joined, sent];
}

export function made(): unknown[] {
  const chosen: "few" | "many" = select([
    ["few", "Few"],
    ["many", "Many"],
  ]).value;
  const clicked = element("input", { onclick: (event) => event.clientX, checked: true, min: null });
  // @ts-expect-error: a link has no value
  const value = element("a").value;
  // @ts-expect-error: a click has no key
  const key = element("a", { onclick: (event) => event.key });
  return [chosen, clicked.value, value, key];
}
