// The types that the scripts share. `make check` generates the types of the API, "openapi", from its document.

import type {
  BotKind,
  Expand,
  ExpandAgain,
  GameEntry,
  LegalMove,
  Summary,
  TokenRole,
  UndoPolicy,
  paths,
} from "openapi";

// Elements (`dom.js`).

type Listeners = {
  [Name in keyof HTMLElementEventMap as `on${Name}`]?: (event: HTMLElementEventMap[Name]) => unknown;
};
export type AttributeValue = string | number | boolean | null | undefined;
export type Attributes = Listeners & { [name: string]: AttributeValue | ((event: never) => unknown) };
/** A child of an element; null and false are omitted. */
export type Child = Node | string | number | null | undefined | false | Child[];
/** The value and the text of an option. */
export type Pair<Value extends string = string> = [value: Value, text: string];
export type Select<Value extends string> = HTMLSelectElement & { value: Value };
export type Close = (value?: string) => void;

// Games.

export type Game = Pick<Summary, "seats">;
export type Expansion = LegalMove & { action: Expand | ExpandAgain };
/** A place or a region on the board, and the moves that are made by a click on it. */
export type Target = { kind: "region" | "place"; id: string; moves: LegalMove[] };
/** Changes the game, and shows the result or the problem. */
export type Change = (work: () => Promise<void>) => Promise<void>;
export type Tokens = {
  host?: string;
  spectator?: string;
  invite?: string;
  bound?: boolean;
  /** The renewal of a seat's token whose response has not arrived. */
  renewal?: { seat: number; key: string } | undefined;
  seats: Record<string, string>;
};
/** The influence of all players, by seat, after a turn. */
export type Reached = { turn: number; version: number; influence: Map<number, number> };
export type SeatKind = BotKind | "person" | "open";
/** A usual kind of table. */
export type Preset = { title: string; text: string; seats: SeatKind[] } & PresetOptions;
export type PresetOptions = { hotSeat?: boolean; invite?: boolean; undo?: UndoPolicy };
/** A game that this browser has tokens of. */
export type Mine = { game: GameEntry; myTurn: boolean; roles: TokenRole[] };
export type Connection = "live" | "lost";
/** The effects of the actions between two versions. */
export type News = {
  /** The places and regions where something happened. */
  targets: Set<string>;
  gains: { target: string; seat: number; influence: number }[];
  /** The changes of money and influence by seat. */
  players: Map<number, { money: number; influence: number }>;
};

// Requests (`api.js`): the path in the source determines the types of the request and of the response.

export type Options = {
  token?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  cache?: RequestCache;
};

type Parts<Path extends string> = Path extends `${infer Part}/${infer Rest}` ? [Part, ...Parts<Rest>] : [Path];
type WithoutQuery<Path extends string> = Path extends `${infer Before}?${string}` ? Before : Path;
/** The parts of a path in the document; those in braces match any text. */
type Pattern<Known extends string[]> = { [N in keyof Known]: Known[N] extends `{${string}}` ? string : Known[N] };
/** The operation of a method at a path, `never` if there is none. */
type Operation<Method extends string, Path extends string> = {
  [Known in keyof paths]: Parts<WithoutQuery<Path>> extends Pattern<Parts<Known>>
    ? paths[Known][Method & keyof paths[Known]]
    : never;
}[keyof paths];
type Json<Message> = Message extends { content: { "application/json": infer Body } } ? Body : never;
type Success<Known> = Known extends { responses: infer All } ? Json<All[keyof All & (200 | 201)]> : never;
/** A wrong path gives `unknown`, which cannot be used. */
type Checked<Body> = [Body] extends [never] ? unknown : Body;

export type Got<Path extends string> = Checked<Success<Operation<"get", Path>>>;
/** The response has the state if the path asks for it. */
export type Posted<Path extends string> = Path extends `${string}?include=state`
  ? Required<Success<Operation<"post", Path>>>
  : Checked<Success<Operation<"post", Path>>>;
export type Sent<Path extends string> = Path extends string
  ? Json<NonNullable<Operation<"post", Path> extends { requestBody?: infer Message } ? Message : never>>
  : never;

// The reference.

/** A link of the contents, and the section that it leads to. */
export type ContentsLink = { link: HTMLAnchorElement; target: Element };

/** The game and the tokens of the forms, named like the variables of the curl commands. */
export type ValueName = "GAME" | "TOKEN" | "HOST";
/** An operation as a form needs it. */
export type Expected = {
  method: string;
  path: string;
  summary: string;
  parameters: Parameter[];
  body: { required: boolean; examples: Example[] } | null;
  token: "TOKEN" | "HOST" | null;
  tokenNeeded: boolean;
};
export type Example = { summary: string; value: unknown };
export type Parameter = {
  name: string;
  in: string;
  description: string;
  required?: boolean;
  example?: unknown;
  schema: Schema;
};
export type Schema = { type?: string; enum?: string[]; const?: string; allOf?: (Schema | Ref)[] };
export type Ref = { $ref: string };
/** The parts of the OpenAPI document that the forms read. */
export type OpenApi = { paths: Record<string, Record<string, Documented>> };
export type Documented = {
  operationId: string;
  summary: string;
  parameters: (Parameter | Ref)[];
  security: Record<string, unknown>[];
  requestBody?: { required?: boolean; content: Record<string, { examples: Record<string, Example> }> };
};
export type Field = {
  name: string;
  location: string;
  many: boolean;
  input: HTMLInputElement | HTMLSelectElement;
  row: Element;
};

declare global {
  interface DocumentEventMap {
    value: CustomEvent<ValueName>;
  }
  interface Array<T> {
    /** Drops empty values. */
    filter(predicate: BooleanConstructor): Exclude<T, null | undefined | false | "" | 0>[];
  }
}
