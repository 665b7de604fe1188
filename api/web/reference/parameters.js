// The fields of a form for the parameters of an operation, and what a request makes of them.

import { element, field, select } from "./dom.js";
import { choices } from "./openapi.js";
import { bind } from "./values.js";

/** @typedef {{name: string, place: string, many: boolean, input: any, row: any}} Field */

/**
 * A field for each parameter; those in the path are filled in, the others may be left empty.
 * @returns {Field[]}
 */
export function fieldsOf(parameters) {
  return parameters.map((parameter) => {
    const input = control(parameter);
    const many = parameter.schema.type === "array";
    const help = `${parameter.description.replaceAll("`", "")}${many ? " Several with commas." : ""}`;
    return { name: parameter.name, place: parameter.in, many, input, row: field(parameter.name, input, help) };
  });
}

function control(parameter) {
  const values = choices(parameter);
  if (values) return select([["", "–"], ...values.map((value) => [value, value])]);
  const required = parameter.in === "path";
  const hint = [parameter.example].flat().join(", ");
  const input = element("input", { required, spellcheck: "false", placeholder: required ? null : hint });
  if (parameter.name === "game_id" || parameter.name === "game") return bind(input, "GAME");
  if (required) input.value = hint;
  return input;
}

/** The address of a request, of this server. */
export function pathOf(template, fields) {
  const valueOf = (name) => fields.find((one) => one.place === "path" && one.name === name).input.value.trim();
  const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(valueOf(name)));
  const query = new URLSearchParams(
    filled(fields, "query").flatMap(({ name, many, value }) =>
      (many ? value.split(",") : [value]).map((one) => [name, one.trim()]),
    ),
  );
  return query.size ? `${path}?${query}` : path;
}

/** The headers of a request. */
export const headersOf = (fields) =>
  Object.fromEntries(filled(fields, "header").map(({ name, value }) => [name, value]));

function filled(fields, place) {
  return fields
    .filter((one) => one.place === place)
    .map(({ name, many, input }) => ({ name, many, value: input.value.trim() }))
    .filter(({ value }) => value);
}
