// The types that the scripts share. Those of the API are in "openapi": `make check` generates them from its document.

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
/** What an element may contain; what is null or false is left out. */
export type Child = Node | string | number | null | undefined | false | Child[];
/** The value and the text of an option. */
export type Pair<Value extends string = string> = [value: Value, text: string];
/** A select, of which one of the values is chosen. */
export type Select<Value extends string> = HTMLSelectElement & { value: Value };
/** Closes a dialog with an answer. */
export type Close = (value?: string) => void;

// Games.

/** Those who play it, by their seats. */
export type Game = Pick<Summary, "seats">;
/** An expansion along a path. */
export type Expansion = LegalMove & { action: Expand | ExpandAgain };
/** Changes the game, and shows what is refused and what comes of it. */
export type Change = (work: () => Promise<void>) => Promise<void>;
/** The tokens that a browser has of a game. */
export type Tokens = {
  host?: string;
  spectator?: string;
  invite?: string;
  bound?: boolean;
  seats: Record<string, string>;
};
/** Who is to sit at a seat of a new table. */
export type SeatKind = BotKind | "person" | "open";
/** What a table may begin with. */
export type Preset = { title: string; text: string; seats: SeatKind[] } & PresetOptions;
export type PresetOptions = { hotSeat?: boolean; invite?: boolean; undo?: UndoPolicy };
/** A game that this browser has tokens of. */
export type Mine = { game: GameEntry; myTurn: boolean; roles: TokenRole[] };
/** Whether news come in. */
export type Connection = "live" | "lost";

// Requests (`api.js`): the path as it is written there tells the types of what is sent and of what comes back.

export type Options = {
  token?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  cache?: RequestCache;
};

type Parts<Path extends string> = Path extends `${infer Part}/${infer Rest}` ? [Part, ...Parts<Rest>] : [Path];
type WithoutQuery<Path extends string> = Path extends `${infer Before}?${string}` ? Before : Path;
/** The parts of a path in the document, of which those in braces stand for any text. */
type Pattern<Known extends string[]> = { [N in keyof Known]: Known[N] extends `{${string}}` ? string : Known[N] };
/** The operation of a method at a path, `never` if there is none. */
type Operation<Method extends string, Path extends string> = {
  [Known in keyof paths]: Parts<WithoutQuery<Path>> extends Pattern<Parts<Known>>
    ? paths[Known][Method & keyof paths[Known]]
    : never;
}[keyof paths];
type Json<Message> = Message extends { content: { "application/json": infer Body } } ? Body : never;
type Success<Known> = Known extends { responses: infer All } ? Json<All[keyof All & (200 | 201)]> : never;
/** Nothing can be done with what is unknown: the path is wrong then. */
type Checked<Body> = [Body] extends [never] ? unknown : Body;

export type Got<Path extends string> = Checked<Success<Operation<"get", Path>>>;
/** The state after a change is there if the path asks for it. */
export type Posted<Path extends string> = Path extends `${string}?include=state`
  ? Required<Success<Operation<"post", Path>>>
  : Checked<Success<Operation<"post", Path>>>;
export type Sent<Path extends string> = Path extends string
  ? Json<NonNullable<Operation<"post", Path> extends { requestBody?: infer Message } ? Message : never>>
  : never;

// The reference.

/** An entry of the contents, and the place on the page that it leads to. */
export type ContentsLink = { link: HTMLAnchorElement; target: Element };

/** The game and the tokens that requests are tried with, as commands name them in the shell. */
export type ValueName = "GAME" | "TOKEN" | "HOST";
/** What an operation expects. */
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
/** What a form for an operation reads of the OpenAPI document. */
export type OpenApi = { paths: Record<string, Record<string, Documented>> };
export type Documented = {
  operationId: string;
  summary: string;
  parameters: (Parameter | Ref)[];
  security: Record<string, unknown>[];
  requestBody?: { required?: boolean; content: Record<string, { examples: Record<string, Example> }> };
};
/** A field of a form, for a parameter. */
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
    /** Drops what is empty. */
    filter(predicate: BooleanConstructor): Exclude<T, null | undefined | false | "" | 0>[];
  }
}
