import type { LiveEvent } from '#core/turn/event.ts';
import { type GrowingText, placeDelta } from './place-delta.ts';

/** The deltas that are addressed by an offset. */
export type TextDelta = Extract<LiveEvent, { offset: number }>;

/** What was heard so far of the round that a turn is on. */
export type RoundOnAir = Try & { turnId: string; texts: Record<TextDelta['type'], GrowingText> };

type Try = { round: number; attempt: number };
type RoundEvent = Extract<LiveEvent, { attempt: number }>;

/** What is known after one more event was heard: a new attempt begins from nothing, an older one is not listened to. */
export function hearRound(known: RoundOnAir | null, event: RoundEvent): RoundOnAir {
  const order = known ? compareTries(event, known) : 1;
  if (known && order < 0) return known;
  const onAir = known && order === 0 ? known : beginOf(event);
  if (!('offset' in event)) return onAir;
  return { ...onAir, texts: { ...onAir.texts, [event.type]: placeDelta(onAir.texts[event.type], event) } };
}

/** Whether pieces are missing in between. */
export function hasGap({ texts }: RoundOnAir): boolean {
  return Object.values(texts).some(({ early }) => early.length > 0);
}

/** Negative where the first came before the second, 0 where they are the same try of the same round. */
export function compareTries(a: Try, b: Try): number {
  return a.round - b.round || a.attempt - b.attempt;
}

/** The event that announces a round; a stream that comes later tells it too. */
export function startOf({ turnId, round, attempt }: RoundOnAir): Extract<LiveEvent, { type: 'round.started' }> {
  return { type: 'round.started', turn_id: turnId, round, attempt };
}

function beginOf({ turn_id, round, attempt }: RoundEvent): RoundOnAir {
  const nothing = { text: '', early: [] };
  return { turnId: turn_id, round, attempt, texts: { 'reasoning.delta': nothing, 'output_text.delta': nothing } };
}
