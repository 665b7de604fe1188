// The fields for the parameters of an operation, and the path and the headers that they make.

/** @import { Field, Parameter } from "../types.js" */

import { element, field, pair, select } from "./dom.js";
import { choices } from "./openapi.js";
import { bind } from "./values.js";

/**
 * Make a field for each parameter. Required ones are filled in.
 * @param {Parameter[]} parameters
 * @returns {Field[]}
 */
export function fieldsOf(parameters) {
  return parameters.map((parameter) => {
    const input = control(parameter);
    const many = parameter.schema.type === "array";
    const help = `${parameter.description.replaceAll("`", "")}${many ? " Separate several values with commas." : ""}`;
    return { name: parameter.name, location: parameter.in, many, input, row: field(parameter.name, input, help) };
  });
}

/** @param {Parameter} parameter */
function control(parameter) {
  const values = choices(parameter);
  if (values) return select([pair("", "–"), ...values.map((value) => pair(value))]);
  const required = Boolean(parameter.required);
  const hint = [parameter.example].flat().join(", ");
  const input = element("input", { required, spellcheck: "false", placeholder: required ? null : hint });
  if (parameter.name === "game_id" || parameter.name === "game") return bind(input, "GAME");
  if (required) input.value = hint;
  return input;
}

/**
 * @param {string} template
 * @param {Field[]} fields
 */
export function pathOf(template, fields) {
  let path = template;
  for (const { name, value } of filled(fields, "path")) path = path.replace(`{${name}}`, encodeURIComponent(value));
  const query = new URLSearchParams(
    filled(fields, "query").flatMap(({ name, many, value }) =>
      (many ? value.split(",") : [value]).map((one) => [name, one.trim()]),
    ),
  );
  return query.size ? `${path}?${query}` : path;
}

/** @param {Field[]} fields */
export const headersOf = (fields) =>
  Object.fromEntries(filled(fields, "header").map(({ name, value }) => [name, value]));

/** @param {Field[]} fields @param {"path" | "query" | "header"} location */
function filled(fields, location) {
  return fields
    .filter((one) => one.location === location)
    .map(({ name, many, input }) => ({ name, many, value: input.value.trim() }))
    .filter(({ value }) => value);
}
