import type { LiveEvent } from '#core/turn/event.ts';
import { compareTries, type RoundOnAir, startOf, type TextDelta } from './round-on-air.ts';

/** How much of a running round one stream has told. */
export type Told = { round: number; attempt: number; offsets: Record<TextDelta['type'], number> };

/** What a stream has told that has just come to a turn. */
export const NOTHING_TOLD: Told = { round: 0, attempt: 0, offsets: { 'reasoning.delta': 0, 'output_text.delta': 0 } };

/** What a stream has not told yet of the round on air: its start, once, and each text from where the stream is. */
export function untold(onAir: RoundOnAir, told: Told): { events: LiveEvent[]; told: Told } {
  const order = compareTries(onAir, told);
  if (order < 0) return { events: [], told };
  const from = order > 0 ? NOTHING_TOLD.offsets : told.offsets;
  const deltas = [deltaFrom(onAir, 'reasoning.delta', from), deltaFrom(onAir, 'output_text.delta', from)];
  return {
    events: [...(order > 0 ? [startOf(onAir)] : []), ...deltas.filter(({ delta }) => delta !== '')],
    told: { round: onAir.round, attempt: onAir.attempt, offsets: offsetsAfter(deltas, from) },
  };
}

function deltaFrom(onAir: RoundOnAir, type: TextDelta['type'], from: Told['offsets']): TextDelta {
  const { turnId, round, attempt, texts } = onAir;
  return { type, turn_id: turnId, round, attempt, offset: from[type], delta: texts[type].text.slice(from[type]) };
}

function offsetsAfter(deltas: TextDelta[], from: Told['offsets']): Told['offsets'] {
  const moved = deltas.map(({ type, offset, delta }) => [type, offset + delta.length]);
  return { ...from, ...Object.fromEntries(moved) };
}
