import { canonicalJson } from '../../../json.ts';
import type { RequestedCall } from '../../../turn/message.ts';
import { findJson, type Search } from './find-json.ts';

type Call = Pick<RequestedCall, 'name' | 'arguments'>;

/** Separates repeated content from decisions of the model. */
export type Quotations = {
  /** Returns whether the received texts contain a piece of JSON, or each of its calls. */
  include(text: string, calls: Call[]): boolean;
};

/** The most characters to read for calls, including repeated reads, in all received texts together. */
const MOST_LOOKED_AT = 4_000_000;

/**
 * Makes a search for received content: by letters without white space and escapes, and by the calls in its JSON, also
 * in JSON within strings. If the texts are too long, all content counts as repeated.
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

/** Returns the arguments of a decided call as JSON text, or the model's own text. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value.trim() || '{}';
  return JSON.stringify(value ?? {});
}

/** Removes white space and backslashes: JSON in a string has its quotes escaped, once for each string around it. */
function bareText(text: string): string {
  return text.replace(/[\s\\]+/g, '');
}

/** Returns all calls in the texts, each in one spelling, or null if the texts are too long. */
function callsIn(received: readonly string[]): Set<string> | null {
  const calls = new Set<string>();
  const search = { left: MOST_LOOKED_AT, isWithinBroken: true };
  for (const value of objectsIn([...received], search)) {
    const call = callOf(value);
    if (!call) continue;
    // Nested calls are spelled repeatedly.
    search.left -= call.arguments.length;
    if (search.left <= 0) return null;
    calls.add(spelled(call));
  }
  return search.left > 0 ? calls : null;
}

/** Yields every object and array in the JSON of texts, and in the JSON of its strings. */
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
