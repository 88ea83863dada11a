import type { TurnEvent } from 'pawl/client';

/** Builds the text of a simple reader: it appends each delta, and restarts when a round or an attempt starts. */
export async function showNaively(events: AsyncIterable<TurnEvent>) {
  const numbers: number[] = [];
  const texts: Record<number, string> = {};
  const all: TurnEvent[] = [];
  for await (const event of events) {
    all.push(event);
    if ('sequence_number' in event) numbers.push(event.sequence_number);
    if (event.type === 'round.started') texts[event.round] = '';
    if (event.type === 'output_text.delta') texts[event.round] += event.delta;
  }
  return { numbers, texts, all };
}
