// Follows a response until it ends, with OpenAI's client, even if the connection or all of Pawl is lost. Copy it.
import { setTimeout as wait } from 'node:timers/promises';
import OpenAI from 'openai';

type ResponseEvent = OpenAI.Responses.ResponseStreamEvent;

/** An event, a lost connection, or a restart of the model's reply, after which all events are sent again. */
export type Followed = { kind: 'event'; event: ResponseEvent } | { kind: 'lost'; behind: number } | { kind: 'anew' };

const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed', 'response.cancelled']);

/** Yields every event after a number, in order, until the response ends. Throws if a retry is useless. */
export async function* followResponse(client: OpenAI, id: string, behind = -1): AsyncGenerator<Followed> {
  for (let isLost = false; ; await wait(200)) {
    try {
      for await (const event of askBehind(client, id, behind)) {
        [behind, isLost] = [event.sequence_number, false];
        yield { kind: 'event', event };
        if (ENDS.has(event.type)) return;
      }
    } catch (error) {
      throwIfHopeless(error);
      if (isSuperseded(error)) {
        behind = -1;
        yield { kind: 'anew' };
        continue;
      }
    }
    if (!isLost) yield { kind: 'lost', behind };
    isLost = true;
  }
}

async function* askBehind(client: OpenAI, id: string, behind: number): AsyncGenerator<ResponseEvent> {
  const start = behind < 0 ? {} : { starting_after: behind };
  for await (const event of await client.responses.retrieve(id, { stream: true, ...start }, { maxRetries: 0 })) {
    if (event.type === 'error') throw event;
    yield event;
  }
}

/** Returns whether a refusal, or the last event of a stream, says that the stream is superseded. */
function isSuperseded(error: unknown): boolean {
  return error instanceof Object && 'code' in error && error.code === 'stream_superseded';
}

/** Throws errors that a retry repeats. A server that is away, busy or stopping will be back. */
function throwIfHopeless(error: unknown): void {
  const status = error instanceof OpenAI.APIError ? error.status : undefined;
  if (!isSuperseded(error) && status !== undefined && status !== 429 && status < 500) throw error;
}
