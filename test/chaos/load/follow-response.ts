import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from '#client/events/read-events.ts';
import type { NumberedEvent } from '#core/turn/responses/piece.ts';
import type { ApiClient } from './api-client.ts';

const PAUSE_MS = 200;
const SILENCE_MS = 15_000;
const ENDS = /^response\.(completed|failed|incomplete)$/;

/**
 * Streams a response to its end, over any number of connections: after its last number, and from the start if the
 * stream was superseded. Returns the events since the last start, or undefined if the run is over before.
 */
export async function followResponse(id: string, client: ApiClient): Promise<NumberedEvent[] | undefined> {
  let received: NumberedEvent[] = [];
  while (!client.isOver()) {
    const last = received.at(-1);
    const after = last ? `&starting_after=${last.sequence_number}` : '';
    const response = await client.open(`/v1/responses/${id}?stream=true${after}`, 0);
    if (response?.status === 200 && response.body) received.push(...(await readOn(response.body)));
    const type = received.at(-1)?.type ?? '';
    if (ENDS.test(type)) return received;
    if (type === 'error' || response?.status === 400) received = [];
    await sleep(PAUSE_MS);
  }
  return undefined;
}

/** Reads the events of one connection until it breaks off, or the response or the stream ends. */
async function readOn(body: ReadableStream<Uint8Array>): Promise<NumberedEvent[]> {
  const received: NumberedEvent[] = [];
  for await (const event of readEvents(body, { onChunk: () => {}, silenceMs: SILENCE_MS })) {
    const next = event as unknown as NumberedEvent;
    received.push(next);
    if (next.type === 'error' || ENDS.test(next.type)) break;
  }
  return received;
}
