// The OpenAPI document: what an operation expects, so that a form can ask for it.

let reading = null;

/** Read the document, once. */
async function load() {
  const answer = await fetch("/schema/openapi.json");
  if (!answer.ok) throw new Error(`The document cannot be read: status ${answer.status}`);
  return answer.json();
}

/**
 * @typedef {{name: string, in: string, description: string, required?: boolean, example?: unknown, schema: any}} Parameter
 * @typedef {{summary: string, value: unknown}} Example
 * @typedef {{method: string, path: string, summary: string, parameters: Parameter[],
 *   body: {required: boolean, examples: Example[]} | null, token: "TOKEN" | "HOST" | null, tokenNeeded: boolean}} Operation
 */

/**
 * What an operation expects.
 * @param {string} id
 * @returns {Promise<Operation>}
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
  throw new Error(`The document has no operation ${id}`);
}

function described(whole, method, path, operation) {
  const parameters = operation.parameters
    .map((part) => resolved(whole, part))
    .map((part) => ({ ...part, schema: schemaOf(whole, part.schema) }));
  const security = operation.security.flatMap((one) => Object.keys(one));
  return {
    method,
    path,
    summary: operation.summary,
    parameters,
    body: bodyOf(operation.requestBody),
    token: security.length ? (security.includes("seat") ? "TOKEN" : "HOST") : null,
    tokenNeeded: operation.security.every((one) => Object.keys(one).length),
  };
}

function bodyOf(body) {
  if (!body) return null;
  const examples = Object.values(body.content).flatMap((media) => Object.values(media.examples));
  return { required: Boolean(body.required), examples };
}

function resolved(whole, part) {
  return part.$ref
    ? part.$ref
        .slice(2)
        .split("/")
        .reduce((found, name) => found[name], whole)
    : part;
}

/** A schema with what it refers to, beside which a default may stand. */
function schemaOf(whole, schema) {
  const parts = [schema, ...(schema.allOf || [])].map((part) => resolved(whole, part));
  return Object.assign({}, ...parts);
}

/** The values that a parameter may have, if they are few. */
export function choices({ schema }) {
  if (schema.type === "boolean") return ["true", "false"];
  return schema.enum || (schema.const === undefined ? null : [schema.const]);
}
