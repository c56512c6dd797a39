// The schemas of the frames of each dialect, merged with those of its base, in the form that generators of types understand: without
// conditions, with a definition for each kind of an event.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";

const LIST = { type: "array", items: { type: "object" } };
const [FLAG, COUNT, NUMBER, TEXT] = ["boolean", "integer", "number", "string"].map((type) => ({ type }));

/** Frames that have members beside those of their schema, with the members that hosts know of a body that the specification leaves open. */
const OPEN = new Map([
  ["pi@0.87 Entry", {}],
  ["pi@1.6 Entry", {}],
  [
    "synaps@1 response",
    {
      ok: { ...FLAG, description: "Whether the command has succeeded" },
      error: { ...TEXT, description: "Why it has not" },
      messages: { ...LIST, description: "The conversation, of get_messages" },
      models: { ...LIST, description: "What can be chosen, of get_available_models" },
      streaming: { ...FLAG, description: "Whether a turn is running, of get_state" },
      session_id: { ...TEXT, description: "The session, of get_state, get_session_stats and new_session" },
      model: { ...TEXT, description: "The model, of get_state, get_session_stats and set_model" },
      message_count: { ...COUNT, description: "The length of the conversation, of get_state and get_session_stats" },
      input_tokens: { ...COUNT, description: "The sum of the session, of get_session_stats, as the members that follow" },
      output_tokens: COUNT,
      cache_read_input_tokens: COUNT,
      cache_creation_input_tokens: COUNT,
      cost: NUMBER,
    },
  ],
]);

/** Whether the messages of a dialect are those of JSON-RPC. Its libraries have types of them. */
const isJsonRpc = (file) => load(readFileSync(file, "utf8")).naming === "json-rpc";

/** The schema of all frames of each version of each dialect, by `NAME@VERSION`, without those of JSON-RPC. */
export function dialectSchemas(folder) {
  const folders = readdirSync(folder).filter((name) => name !== "conform").sort();
  const versions = folders.flatMap((name) => readdirSync(join(folder, name)).sort().map((version) => `${name}@${version}`));
  const file = (id) => join(folder, id.replace("@", "/"), "dialect.yaml");
  const speakable = versions.filter((id) => existsSync(file(id)) && !isJsonRpc(file(id)));
  return new Map(speakable.map((id) => [id, frames(folder, id)]));
}

/** The name of a type: `message_update.text_delta` is `MessageUpdateTextDelta`. */
export const typeName = (name) => name.replace(/(?:^|[._@-])(.)/g, (_, letter) => letter.toUpperCase()).replaceAll(".", "");

function frames(folder, id) {
  const dialect = merged(folder, id);
  const definitions = {};
  const union = (side, suffix) => {
    const schemas = dialect.definitions[side];
    const names = renamed(schemas, Object.keys(dialect[side]), suffix, definitions);
    const own = Object.keys(schemas).filter((name) => names.has(name) && !isFrame(dialect[side], name));
    for (const name of own) definitions[names.get(name)] ??= simple(schemas[name], names, OPEN.get(`${id} ${name}`));
    const all = Object.entries(dialect[side]).map(([name, entry]) => {
      const kinds = entry?.kinds ?? [];
      if (kinds.length === 0) return define(definitions, `${typeName(name)}${suffix}`, conditional([schemas[name]]), names, OPEN.get(`${id} ${name}`));
      const refs = kinds.map((kind) => {
        const parts = [schemas[name], schemas[`${name}.${kind}`] ?? {}, constantAt(entry.kind, kind)];
        return define(definitions, `${typeName(`${name}.${kind}`)}${suffix}`, conditional(parts), names, OPEN.get(`${id} ${name}`));
      });
      definitions[`${typeName(name)}${suffix}`] = { description: schemas[name].description, anyOf: refs };
      return ref(`${typeName(name)}${suffix}`);
    });
    definitions[suffix] = { description: side === "events" ? "What the agent sends." : "What the host sends.", anyOf: all };
  };
  union("events", "Event");
  union("commands", "Command");
  const root = { title: "Frame", description: "A frame of either side.", anyOf: [ref("Event"), ref("Command")] };
  return { ...root, $defs: reachable(root, definitions) };
}

/** `dialect.yaml` and the definitions of a version, with those of its bases. */
function merged(folder, id) {
  const place = join(folder, id.replace("@", "/"));
  const file = ["dialect.yaml", "base.yaml"].map((name) => join(place, name)).find(existsSync);
  const own = load(readFileSync(file, "utf8"));
  const base = own.extends ? merged(folder, own.extends) : { events: {}, commands: {}, definitions: { events: {}, commands: {} } };
  for (const name of own.removed ?? []) [base.events, base.commands].forEach((frames) => delete frames[name]);
  const definitions = (side) => {
    const schema = join(place, `${side}.json`);
    const defs = existsSync(schema) ? JSON.parse(readFileSync(schema, "utf8")).$defs : {};
    return { ...base.definitions[side], ...defs };
  };
  return {
    events: { ...base.events, ...own.events },
    commands: { ...base.commands, ...own.commands },
    definitions: { events: definitions("events"), commands: definitions("commands") },
  };
}

const isFrame = (frames, name) => name.split(".")[0] in frames;

/** The name of each definition as a type. A type of commands that differs from that of events of the same name has a name of its own. */
function renamed(schemas, frames, suffix, taken) {
  const names = new Map();
  for (const name of Object.keys(schemas)) {
    const plain = typeName(name);
    const same = taken[plain] === undefined || undescribed(taken[plain]) === undescribed(simple(schemas[name], { get: typeName }));
    names.set(name, frames.includes(name.split(".")[0]) ? `${plain}${suffix}` : same ? plain : `${plain}Of${suffix}`);
  }
  return names;
}

const undescribed = (schema) => JSON.stringify(schema, (key, value) => (key === "description" && typeof value === "string" ? undefined : value));

const ref = (name) => ({ $ref: `#/$defs/${name}` });

/** A schema that has this constant at a pointer. */
function constantAt(pointer, value) {
  const [first, ...rest] = pointer.split("/").slice(1);
  const inner = rest.length > 0 ? constantAt(`/${rest.join("/")}`, value) : { const: value };
  return { type: "object", required: [first], properties: { [first]: inner } };
}

/** The alternatives of a frame: one that succeeded and one that failed, if a condition of its schema distinguishes them. */
function conditional(parts) {
  const tells = parts.filter((part) => part.then && typeof part.if.properties?.success?.const === "boolean");
  const { if: condition, then, else: otherwise, ...plain } = parts.reduce(combined);
  if (tells.length === 0) return [["", { ...plain, if: condition, then, else: otherwise }]];
  const allowed = plain.properties.success.const;
  const outcomes = [["Succeeded", true], ["Failed", false]].filter(([, success]) => allowed === undefined || allowed === success);
  return outcomes.map(([suffix, success]) => {
    const demands = tells.filter((part) => part.if.properties.success.const === success).map((part) => part.then);
    return [suffix, [...demands, { properties: { success: { const: success } } }].reduce(combined, plain)];
  });
}

/** Defines a type, as a union if it has several alternatives. */
function define(definitions, name, alternatives, names, more) {
  if (alternatives.length === 1) {
    definitions[name] = simple(alternatives[0][1], names, more);
    return ref(name);
  }
  const refs = alternatives.map(([suffix, schema]) => {
    definitions[`${name}${suffix}`] = simple(schema, names, more);
    return ref(`${name}${suffix}`);
  });
  definitions[name] = { description: alternatives[0][1].description, anyOf: refs };
  return ref(name);
}

/** What both schemas demand of an object; the second one is the more special. */
function combined(one, other) {
  const properties = { ...one.properties };
  for (const [name, value] of Object.entries(other.properties ?? {})) properties[name] = name in properties ? combined(properties[name], value) : value;
  const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])];
  return { ...one, ...other, ...(required.length > 0 && { required }), ...(Object.keys(properties).length > 0 && { properties }) };
}

const KEPT = ["description", "type", "enum", "const", "required"];

/** A schema without what types do not express. An open one has any members, and may have these. */
function simple(schema, names, more) {
  if (schema.$ref) return ref(names.get(schema.$ref.replace("#/$defs/", "")));
  const inner = (one) => simple(one, names);
  const described = Object.fromEntries(Object.entries(schema).filter(([key]) => KEPT.includes(key)));
  const cases = [schema, ...(schema.allOf ?? [])].filter((part) => part.if && part.then);
  const refs = cases.filter(({ then }) => then.$ref).map(({ then }) => inner(then));
  if (refs.length > 0 && !schema.properties?.id) {
    const isNullable = Array.isArray(schema.type) && schema.type.includes("null");
    return { ...(schema.description && { description: schema.description }), anyOf: isNullable ? [...refs, { type: "null" }] : refs };
  }
  const properties = { ...more, ...schema.properties };
  for (const { then, else: otherwise } of cases) {
    for (const [name, value] of Object.entries({ ...then.properties, ...otherwise?.properties })) if (!value.not && !isTyped(properties[name])) properties[name] = value;
  }
  if (schema.items) described.items = inner(schema.items);
  if (schema.anyOf?.every((one) => one.type || one.$ref || one.properties)) described.anyOf = schema.anyOf.map(inner);
  if (Object.keys(properties).length > 0) {
    const possible = Object.entries(properties).filter(([, value]) => value.not === undefined || Object.keys(value.not).length > 0);
    described.properties = Object.fromEntries(possible.map(([name, value]) => [name, inner(value)]));
    described.additionalProperties = more !== undefined;
  } else if (typeof schema.additionalProperties === "object") {
    described.additionalProperties = inner(schema.additionalProperties);
  } else if ([schema.type].flat().includes("object")) {
    described.additionalProperties = true;
  }
  if (described.required) described.required = described.required.filter((name) => name in properties);
  return described;
}

const isTyped = (schema) => schema !== undefined && ["type", "$ref", "const", "enum", "properties"].some((key) => key in schema);

/** The definitions that a schema refers to, itself or through others. */
function reachable(schema, definitions, found = {}) {
  for (const [, name] of JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)) {
    if (name in found) continue;
    found[name] = definitions[name];
    reachable(definitions[name], definitions, found);
  }
  return found;
}
