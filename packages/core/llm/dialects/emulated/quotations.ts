import { canonicalJson } from '../../../json.ts';
import type { RequestedCall } from '../../../turn/message.ts';
import { findJson, type Search } from './find-json.ts';

type Call = Pick<RequestedCall, 'name' | 'arguments'>;

/** Separates what the model repeats from what it decides. */
export type Quotations = {
  /** Whether a piece of JSON, or each of the calls in it, stands in what was received. */
  include(text: string, calls: Call[]): boolean;
};

/** Characters that are looked at for calls, some of them again and again, in all received texts together. */
const MOST_LOOKED_AT = 4_000_000;

/**
 * Knows what others wrote, letter by letter, whatever its white space and escapes. It also knows it by what its JSON
 * says, and JSON within the strings of JSON. Where that is too much to be looked through, all counts as repeated.
 */
export function makeQuotations(received: readonly string[]): Quotations {
  const bare = received.map(bareText);
  let known: Set<string> | null | undefined;
  return {
    include(text, calls) {
      const sought = bareText(text);
      if (bare.some((one) => one.includes(sought))) return true;
      if (known === undefined) known = callsIn(received);
      return known === null || (calls.length > 0 && calls.every((call) => known?.has(spelled(call))));
    },
  };
}

/** The arguments of a decided call as JSON text; a model's own where it wrote a text. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value.trim() || '{}';
  return JSON.stringify(value ?? {});
}

/** JSON within a string has its quotes escaped, once for each string around it. */
function bareText(text: string): string {
  return text.replace(/[\s\\]+/g, '');
}

/** All calls in the texts, each in one spelling; null where the texts are too much. */
function callsIn(received: readonly string[]): Set<string> | null {
  const calls = new Set<string>();
  const search = { left: MOST_LOOKED_AT, isWithinBroken: true };
  for (const value of objectsIn([...received], search)) {
    const call = callOf(value);
    if (!call) continue;
    // Calls within calls within calls are spelled again and again.
    search.left -= call.arguments.length;
    if (search.left <= 0) return null;
    calls.add(spelled(call));
  }
  return search.left > 0 ? calls : null;
}

/** Every object and array in the JSON of texts, and in the JSON of its strings. */
function* objectsIn(texts: string[], search: Search): Generator<object> {
  for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
    const values = findJson(text, search).map(({ value }) => value);
    for (let value = values.pop(); value !== undefined; value = values.pop()) {
      if (typeof value === 'string' && /[{[]/.test(value)) texts.push(value);
      if (typeof value !== 'object' || value === null) continue;
      for (const inner of Object.values(value)) values.push(inner);
      yield value;
    }
  }
}

function callOf(value: object): Call | null {
  if (!('tool' in value) || typeof value.tool !== 'string') return null;
  return { name: value.tool, arguments: argumentsText('arguments' in value ? value.arguments : undefined) };
}

function spelled(call: Call): string {
  return JSON.stringify([call.name, canonicalJson(call.arguments)]);
}
