import { jsonObject } from '../../json.ts';
import type { Schema } from '../../json-schema/parts.ts';
import type { Message, RequestedCall } from '../../turn/message.ts';
import type { Reply } from '../../turn/reply.ts';
import type { Tool } from '../../turn/request/tool.ts';
import { type Delta, isOpenaiWire, type Provider, type RoundRequest } from '../provider.ts';
import { findWireNames, type NameRules, renameProperties } from './property-names.ts';
import { rememberSchemas } from './remember-schemas.ts';
import { renameKeys } from './rename-keys.ts';

/**
 * Returns the provider with other names on the wire for tool properties that its server would refuse: in schemas, in
 * the history, and in the arguments of calls. The reply has the own names again. A request without such names is
 * passed on.
 */
export function withWireNames(provider: Provider): Provider {
  return {
    ...provider,
    ask(request, signal, onDelta) {
      const rename = renamerFor(provider, request.model);
      const renamed = rename && renamedTools(request, rename);
      if (!renamed) return provider.ask(request, signal, onDelta);
      return askRenamed(provider, { request, signal, onDelta }, renamed);
    },
  };
}

/** The schema of a tool on the wire, and the names of its properties in both directions. */
type Renamed = { schema: Tool['parameters']; toWire: Rename; fromWire: Rename };
type Rename = (args: string) => string;

/** Returns an empty object for a schema that keeps its names. */
type Renamer = (schema: Schema) => Partial<Renamed>;

function makeRenamer(rules: NameRules): Renamer {
  return rememberSchemas((schema): Partial<Renamed> => {
    const names = findWireNames(schema, rules);
    if (names === null) return {};
    const onWire: Tool['parameters'] = JSON.parse(JSON.stringify(renameProperties(schema, names)));
    const own = new Map([...names].map(([name, wire]) => [wire, name]));
    return {
      schema: onWire,
      toWire: (args) => renameArguments(args, schema, names),
      fromWire: (args) => renameArguments(args, onWire, own),
    };
  });
}

/** The names of properties in the Messages API. Servers of other wires with a Claude model pass its refusals on. */
const claude = makeRenamer({ allowed: /^[a-zA-Z0-9_.-]{1,64}$/, others: /[^a-zA-Z0-9_.-]/g });
const gemini = makeRenamer({ allowed: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/, others: /[^a-zA-Z0-9_]/g });

function renamerFor({ capabilities: { wire } }: Provider, model: string): Renamer | null {
  if (wire === 'gemini') return gemini;
  return isOpenaiWire(wire) && !/claude|anthropic/i.test(model) ? null : claude;
}

/** Renames keys in arguments. Arguments that are not a JSON object stay unchanged. */
function renameArguments(text: string, schema: Schema, names: ReadonlyMap<string, string>): string {
  const value = jsonObject(text);
  const renamed = value && renameKeys(value, { schema, root: schema, names });
  return renamed === value ? text : JSON.stringify(renamed);
}

/** Returns the tools with other names, by the names of the tools, or null if there are none. */
function renamedTools({ tools, declaredTools }: RoundRequest, rename: Renamer): Map<string, Renamed> | null {
  const found = new Map<string, Renamed>();
  for (const { name, parameters } of [...tools, ...(declaredTools ?? [])]) {
    const { schema, toWire, fromWire } = rename(parameters);
    if (schema && toWire && fromWire) found.set(name, { schema, toWire, fromWire });
  }
  return found.size > 0 ? found : null;
}

type Asking = { request: RoundRequest; signal: AbortSignal; onDelta: (delta: Delta) => void };
type ByName = ReadonlyMap<string, Renamed>;

/**
 * Asks with other names. Until the reply is complete, deltas of calls are empty, since a delta does not name its
 * call.
 */
async function askRenamed(provider: Provider, { request, signal, onDelta }: Asking, renamed: ByName): Promise<Reply> {
  const begun = new Set<number>();
  const reply = await provider.ask(onWire(request, renamed), signal, (delta) => {
    if (delta.kind !== 'tool-arguments') return onDelta(delta);
    begun.add(delta.index);
    onDelta({ ...delta, text: '' });
  });
  const calls = reply.calls.map((call) => renameCall(call, renamed.get(call.name)?.fromWire));
  for (const [at, index] of [...begun].sort((one, other) => one - other).entries()) {
    const text = calls[at]?.arguments;
    if (text) onDelta({ kind: 'tool-arguments', index, text });
  }
  return { ...reply, calls };
}

function onWire(request: RoundRequest, renamed: ByName): RoundRequest {
  const tool = (given: Tool): Tool => {
    const schema = renamed.get(given.name)?.schema;
    return schema ? { ...given, parameters: schema } : given;
  };
  return {
    ...request,
    tools: request.tools.map(tool),
    declaredTools: request.declaredTools?.map(tool) ?? null,
    messages: request.messages.map((message) => messageOnWire(message, renamed)),
  };
}

function messageOnWire(message: Message, renamed: ByName): Message {
  if (message.role !== 'assistant') return message;
  return { ...message, calls: message.calls.map((call) => renameCall(call, renamed.get(call.name)?.toWire)) };
}

function renameCall(call: RequestedCall, rename: Rename | undefined): RequestedCall {
  return rename ? { ...call, arguments: rename(call.arguments) } : call;
}
