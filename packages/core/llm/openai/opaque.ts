import { z } from 'zod';
import { isRecord } from '../../json.ts';
import type { Fields } from '../reply/fields.ts';
import type { CallAccumulator } from '../reply/gather-calls.ts';
import { isOddId } from '../reply/odd-id.ts';

const fields = z.record(z.string(), z.unknown());

/** State of one call: its id if Pawl or another provider would change it, and its fields. */
const CallState = z.object({ id: z.string().optional(), fields: fields.optional() });
export type CallState = z.infer<typeof CallState>;

/** A state field that a server may require, although the history of another server lacks it. */
export type FilledField = 'reasoning_content' | 'extra_content';

/** State that a server requires back with a message, and with each of its calls in their order. */
const Opaque = z.object({
  message: fields.default({}),
  asked: z.array(CallState.nullable()).default([]),
  /** Rounds that earlier versions saved have the `extra_content` of each call here. */
  calls: z.array(z.unknown()).default([]),
});
type Stored = z.infer<typeof Opaque>;
export type Opaque = Pick<Stored, 'message' | 'asked'>;

/** Returns the state to store with a reply, or null if the server requires none. */
export function opaqueOf(
  message: Fields,
  calls: readonly CallAccumulator[],
  callFields: Map<number, Fields>,
): Opaque | null {
  const asked = calls.map((call) => callState(call, callFields.get(call.place)));
  const hasState = asked.some((state) => state !== null);
  // `reasoning` is the readable half of `reasoning_details`. A server that sends both requires the details.
  const { reasoning, ...rest } = message;
  const kept = rest.reasoning_details || reasoning === undefined ? rest : { ...rest, reasoning };
  if (Object.keys(kept).length === 0 && !hasState) return null;
  return { message: kept, asked: hasState ? asked : [] };
}

function callState({ id }: CallAccumulator, given: Fields = {}): CallState | null {
  const isOdd = isOddId(id);
  const hasFields = Object.keys(given).length > 0;
  if (!isOdd && !hasFields) return null;
  return { ...(isOdd ? { id } : {}), ...(hasFields ? { fields: given } : {}) };
}

const NOTHING: Opaque = { message: {}, asked: [] };
const known = new WeakMap<object, Opaque>();

/** Reads a stored state, each only once. A state of another kind counts as empty. */
export function readOpaque(state: unknown): Opaque {
  // Most messages have no state, and each request reads the state of its whole history.
  if (!isRecord(state)) return NOTHING;
  const opaque = known.get(state) ?? parseOpaque(state);
  known.set(state, opaque);
  return opaque;
}

/** Google's documented signature for calls from other models. The first call of a round has it for all calls. */
const UNSIGNED = { google: { thought_signature: 'skip_thought_signature_validator' } };

/** Adds missing fields to the state of a round with calls. */
export function fillState({ message, asked }: Opaque, filled: readonly FilledField[]): Opaque {
  const reasoning = filled.includes('reasoning_content') ? { reasoning_content: '', ...message } : message;
  if (!filled.includes('extra_content')) return { message: reasoning, asked };
  const [first, ...rest] = asked;
  return { message: reasoning, asked: [{ ...first, fields: { extra_content: UNSIGNED, ...first?.fields } }, ...rest] };
}

function parseOpaque(state: unknown): Opaque {
  const { data } = Opaque.safeParse(state);
  if (!data) return NOTHING;
  const earlier = data.calls.map((extra) => (extra ? { fields: { extra_content: extra } } : null));
  return { message: data.message, asked: data.asked.length > 0 ? data.asked : earlier };
}
