// The parts of the OpenAPI document that the forms need.

/** @import { Documented, Expected, OpenApi, Parameter, Ref, Schema } from "../types.js" */

/** @type {Promise<OpenApi> | null} */
let reading = null;

async function load() {
  const response = await fetch("/schema/openapi.json");
  if (!response.ok) throw new Error(`The OpenAPI document cannot be loaded: status ${response.status}`);
  return response.json();
}

/**
 * Return the parameters, the body and the token of an operation.
 * @param {string} id
 */
export async function operationOf(id) {
  reading ||= load();
  const whole = await reading.catch((error) => {
    reading = null;
    throw error;
  });
  for (const [path, methods] of Object.entries(whole.paths))
    for (const [method, operation] of Object.entries(methods))
      if (operation.operationId === id) return described(whole, method.toUpperCase(), path, operation);
  throw new Error(`The OpenAPI document has no operation ${id}.`);
}

/**
 * @param {OpenApi} whole
 * @param {string} method
 * @param {string} path
 * @param {Documented} operation
 * @returns {Expected}
 */
function described(whole, method, path, operation) {
  const parameters = operation.parameters
    .map((part) => resolved(whole, part))
    .map((part) => ({ ...part, schema: schemaOf(whole, part.schema) }));
  const security = operation.security.flatMap((one) => Object.keys(one)).filter((name) => name !== "app");
  return {
    method,
    path,
    summary: operation.summary,
    parameters,
    body: bodyOf(operation.requestBody),
    token: security.length ? (security[0] === "host" ? "HOST" : "TOKEN") : null,
    tokenNeeded: operation.security.every((one) => Object.keys(one).length),
  };
}

/** @param {Documented["requestBody"]} body */
function bodyOf(body) {
  if (!body) return null;
  const examples = Object.values(body.content).flatMap((media) => Object.values(media.examples));
  return { required: Boolean(body.required), examples };
}

/**
 * @template {object} Part
 * @param {OpenApi} whole
 * @param {Part | Ref} part
 * @returns {Part}
 */
function resolved(whole, part) {
  if (!("$ref" in part)) return part;
  const names = part.$ref.slice(2).split("/");
  return names.reduce((found, name) => found[name], /** @type {any} */ (whole));
}

/**
 * Resolve the references of a schema. A default may stand next to them.
 * @param {OpenApi} whole
 * @param {Schema} schema
 * @returns {Schema}
 */
function schemaOf(whole, schema) {
  const parts = [schema, ...(schema.allOf || [])].map((part) => resolved(whole, part));
  return Object.assign({}, ...parts);
}

/**
 * Return the possible values of a parameter, null if they are not listed.
 * @param {Parameter} parameter
 */
export function choices({ schema }) {
  if (schema.type === "boolean") return ["true", "false"];
  return schema.enum || (schema.const === undefined ? null : [schema.const]);
}
