import { setTimeout as pause } from 'node:timers/promises';
import OpenAI from 'openai';
import type { NumberedEvent } from '#core/turn/responses/piece.ts';

/** The events that a client received since its last restart, with the numbers of its connections and restarts. */
export type Followed = { received: NumberedEvent[]; connections: number; superseded: number };

const PAUSE_MS = 100;
const ENDS = /^response\.(completed|failed|incomplete)$/;

/**
 * Follows a response to its end with OpenAI's client, over any API that answers. After a lost connection it continues
 * from its last number, after a superseded stream from the start (R18).
 */
export async function followToEnd(urls: string[], id: string, followed: Followed): Promise<void> {
  const clients = urls.map((url) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0 }));
  while (!ENDS.test(followed.received.at(-1)?.type ?? '')) {
    const client = clients[followed.connections % clients.length] as OpenAI;
    followed.connections += 1;
    const lost = await readOn(client, id, followed).catch((error: unknown) => error);
    if (lost) await comeBack(followed, lost);
  }
}

async function readOn(client: OpenAI, id: string, { received }: Followed): Promise<void> {
  const last = received.at(-1)?.sequence_number;
  const after = last === undefined ? {} : { starting_after: last };
  const events = await client.responses.retrieve(id, { stream: true, ...after });
  for await (const event of events) received.push(event as unknown as NumberedEvent);
}

async function comeBack(followed: Followed, lost: unknown): Promise<void> {
  const { code, status = 503 } = lost instanceof OpenAI.APIError ? lost : { code: null };
  if (code !== 'stream_superseded') {
    if (status < 500) throw lost;
    return pause(PAUSE_MS);
  }
  followed.superseded += 1;
  followed.received = [];
}
