import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { expect } from 'vitest';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type askResponses, script } from '../responses/ask-responses.ts';

type Model = Awaited<ReturnType<typeof askResponses>>;

export const HOUR_MS = 3_600_000;
export const answer = 'It is sunny in Tokyo.';

/** Pauses after the first 8 characters until the test skips the delay. */
export const paused = { answer, piece_chars: 4, final: { background: { pause_after_chars: 8, pause_ms: HOUR_MS } } };

export function createOf({ respond }: Model, sim: Record<string, unknown>) {
  return respond({ ...script(sim), background: true });
}

/** Creates a background stream, reads some of its events, and disconnects. */
export async function disconnectAfter(
  { openai, requests, simulator }: Model,
  count: number,
  sim: Record<string, unknown>,
) {
  const params = { model: 'demo', ...script(sim), background: true, stream: true as const };
  const stream = await openai.responses.create(params);
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) {
    events.push(event);
    if (events.length === count) break;
  }
  stream.controller.abort();
  await requests.at(-1)!.aborted;
  await waitUntil(() => expect(simulator.responses.list()).toHaveLength(1));
  return { events, lastNumber: events.at(-1)!.sequence_number, responses: [idOf(events[0]!)] as const };
}

export async function streamedId(model: Model, sim: Record<string, unknown>): Promise<string> {
  const { events } = await model.readEvents({ ...script(sim), background: true });
  return idOf(events[0]!.event).id;
}

export async function ask({ simulator }: Model, path: string, method = 'GET') {
  const response = await fetch(`${simulator.baseUrl}/responses${path}`, { method });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, body: isJson ? JSON.parse(text) : text };
}

export function idOf(event: ResponseStreamEvent): { id: string } {
  if (event.type !== 'response.created') throw new Error(`${event.type} is not the first event`);
  return event.response;
}

export function statusOf(event: ResponseStreamEvent): unknown[] {
  return 'response' in event ? [event.type, event.response.status] : [event.type];
}

/** Returns the events of a stream. Rejects if the stream breaks. */
export async function allOf(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}
