// What a compiler has to know and to refuse of the types that openapi-typescript generates.
import type { components, paths } from "./schema";

type Types = components["schemas"];

export const smallest: Types["NewGame"] = { seats: 3 };
export const chosen: Types["NewGame"] = {
  seats: 2,
  players: ["Ann"],
  options: { undo: "free", modules: { boom: true } },
};
// @ts-expect-error: there is no such policy
export const misspelt: Types["NewGameOptions"] = { undo: "fre" };
// @ts-expect-error: an answer has every option
export const incomplete: Types["GameOptions"] = { undo: "free" };

export const phase: Types["Phase"] = "expand";
// @ts-expect-error: there is no such phase
export const noPhase: Types["Phase"] = "expanding";

export function money(problem: Types["Problem"]): number | undefined {
  return problem.code === "illegal_action" && problem.reason === "no_money" ? problem.needed?.money : undefined;
}

export function undoOf(summary: Types["Summary"]): "turn" | "agree" | "free" | "off" {
  return summary.options.undo;
}

export function winnersOf(event: Types["GameEvent"]): number[] | null {
  return event.type === "game_ended" ? event.winners : null;
}

// A game of the first release was recorded without this option.
export function hotSeat(event: Types["TableOpenedEvent"]): boolean {
  return event.options.hot_seat ?? false;
}

export function isKnown(first: Types["Difference"]): boolean {
  const { what, stored } = first;
  return what === "fact" && stored !== null && typeof stored === "object" && stored.type !== "turn_ended";
}

type Streamed = paths["/v1/games/{game_id}/stream"]["get"]["responses"]["200"]["content"]["text/event-stream"];

export function versionOf(sent: Streamed): number {
  return sent.version;
}
