// Plays a whole game through the client that hey-api generates, and follows its stream meanwhile.
// The argument is the address of the server; what was seen is printed as JSON.
import {
  createGame,
  type Action,
  type Code,
  type Created,
  type GameEvent,
  type LegalMove,
  listLegalMoves,
  type NewGame,
  type Phase,
  playMove,
  type Problem,
  readGame,
  streamEvents,
  type UndoPolicy,
} from "./client";
import { client } from "./client/client.gen";

declare const process: { argv: string[]; exitCode?: number };

const TABLE: NewGame = {
  seats: 2,
  players: ["Ann", { name: "Bob", colour: "red" }],
  options: { start: "introductory", seed: 1960, modules: { milestones: true } },
};

type Seen = { versions: number[]; types: Set<GameEvent["type"]>; winners: number[] };

async function follow(game_id: string, until: AbortController): Promise<Seen> {
  const seen: Seen = { versions: [], types: new Set(), winners: [] };
  const { stream } = await streamEvents({ path: { game_id }, query: { after: 0 }, signal: until.signal });
  for await (const event of stream) {
    if (!("type" in event)) continue; // a heartbeat
    seen.versions.push(event.version);
    seen.types.add(event.type);
    if (event.type === "game_ended") {
      seen.winners = event.winners;
      until.abort();
    }
  }
  return seen;
}

function chosen(items: LegalMove[], step: number): Action {
  const move = items[(step * 7919) % items.length];
  if (move === undefined) throw new Error("nobody can do anything");
  return move.action;
}

function tokenOf(created: Created, seat: number): string {
  const found = created.seats.find((each) => each.seat === seat);
  if (found === undefined) throw new Error(`nobody sits at seat ${seat}`);
  return found.token;
}

async function play(created: Created): Promise<Set<Phase>> {
  const path = { game_id: created.game.id };
  const phases = new Set<Phase>();
  for (let step = 0; ; step++) {
    const { data: legal } = await listLegalMoves({ path, throwOnError: true });
    phases.add(legal.phase);
    if (legal.to_play === null) return phases;
    const body = chosen(legal.items, step);
    const { data: moved } = await playMove({ path, body, auth: tokenOf(created, legal.to_play), throwOnError: true });
    if (moved.events[0]?.type !== "action_taken") throw new Error("a move begins with the action");
  }
}

async function refusal(created: Created): Promise<Problem> {
  const body: Action = { type: "end_turn" };
  const { error } = await playMove({ path: { game_id: created.game.id }, body, auth: tokenOf(created, 0) });
  if (error === undefined) throw new Error("the game is over, and this was allowed");
  return error;
}

async function main(address: string): Promise<void> {
  client.setConfig({ baseUrl: address });
  const { data: created } = await createGame({ body: TABLE, throwOnError: true });
  const undo: UndoPolicy = created.game.options.undo;
  const [seen, phases] = await Promise.all([follow(created.game.id, new AbortController()), play(created)]);
  const { data: summary } = await readGame({ path: { game_id: created.game.id }, throwOnError: true });
  const { code, needed, had } = await refusal(created);
  const expected: Code = "game_over";
  if (code !== expected || had?.status !== summary.status) throw new Error(`${code} is not ${expected}`);
  console.log(
    JSON.stringify({
      game: summary.id,
      version: summary.version,
      winners: summary.winners,
      undo,
      needed: needed?.status,
      phases: [...phases],
      seen: { ...seen, types: [...seen.types] },
    }),
  );
}

main(process.argv[2] ?? "").catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
