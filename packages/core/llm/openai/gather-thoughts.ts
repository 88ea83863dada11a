import { isRecord } from '../../json.ts';
import { type Fields, fieldsIn, textIn } from '../reply/fields.ts';
import { joinFields } from '../reply/join-fields.ts';
import type { CallDelta, ChunkDelta } from './chunk.ts';

/** Adds a delta's reasoning, and every field that may be state of the server. Returns the text of the reasoning. */
export function gatherThoughts(fields: Fields, delta: ChunkDelta): string {
  joinState(fields, delta.fields, OF_MESSAGE);
  const { reasoning_content: content, reasoning, reasoning_text: text, thinking } = delta.fields;
  // Some servers send the same reasoning in two fields.
  const said = textIn(content) || textIn(reasoning) || textIn(text) || textIn(thinking);
  return (
    said || readableIn(delta.fields.reasoning_details) || readableIn(delta.fields.thinking_blocks) || delta.thinking
  );
}

/** Adds the fields of a call's delta that may be state of the server. */
export function gatherCallState(fields: Fields, delta: CallDelta): void {
  joinState(fields, delta.fields, OF_CALL);
  const called = fieldsIn(delta.fields.function);
  const inner = called && stateIn(called, OF_FUNCTION);
  if (inner) joinFields(fields, { function: inner });
}

/** Fields with the round's text and calls, and fields that only a reply has. */
const OF_MESSAGE = new Set([
  ...['role', 'content', 'refusal', 'tool_calls', 'function_call', 'name'],
  ...['finish_reason', 'usage', 'annotations', 'audio', 'images', 'logprobs', 'token_ids', 'citations'],
]);
const OF_CALL = new Set(['index', 'id', 'type', 'name', 'arguments', 'parameters', 'input', 'function']);
const OF_FUNCTION = new Set(['name', 'arguments', 'parameters', 'input']);

function joinState(fields: Fields, delta: Fields, known: ReadonlySet<string>): void {
  const state = stateIn(delta, known);
  if (state) joinFields(fields, state);
}

/** Returns the fields that may be state, or null if there are none, as in most deltas. */
function stateIn(delta: Fields, known: ReadonlySet<string>): Fields | null {
  let state: Fields | null = null;
  for (const name in delta) {
    if (known.has(name) || !isState(delta[name])) continue;
    state ??= {};
    state[name] = delta[name];
  }
  return state;
}

/**
 * Returns whether a value may be state: a text, an object, or a list of objects. Token counts and flags are not
 * state.
 */
function isState(value: unknown): boolean {
  return (
    typeof value === 'string' || isRecord(value) || (Array.isArray(value) && value.length > 0 && value.every(isRecord))
  );
}

function readableIn(details: unknown): string {
  if (!Array.isArray(details)) return '';
  return details
    .filter(isRecord)
    .map(({ text, summary, thinking }) => textIn(text) || textIn(summary) || textIn(thinking))
    .join('');
}
