import { setTimeout as sleep } from 'node:timers/promises';
import { readEvents } from '#client/events/read-events.ts';
import type { SeenTurn } from '../history.ts';
import type { ApiClient } from './api-client.ts';
import type { Journal } from './journal.ts';
import type { TurnPlan } from './turn-plan.ts';

/** The fields of a turn, or of its event, that a follower reads. */
type StreamEvent = {
  type?: string;
  status?: string;
  sequence_number?: number;
  last_event?: number;
  required_action?: { tool_outputs: { id: string }[] } | null;
  turn?: { status: string; last_event: number };
};

const PAUSE_MS = 200;
const SILENCE_MS = 15_000;
const TERMINAL = ['completed', 'incomplete', 'failed', 'cancelled'];

/** Follows a turn to its end, over any number of connections, and sends the outputs that wait for the client. */
export async function followTurn(
  turnId: string,
  { followBy }: TurnPlan,
  { client, journal }: { client: ApiClient; journal: Journal },
): Promise<void> {
  const seen = journal.seen.get(turnId);
  if (!seen) return;
  const follow = followBy === 'stream' ? streamOnce : pollOnce;
  while (seen.status === null && (await follow(turnId, seen, client)) !== 'over');
}

/** Reads one connection from the last event on, until it breaks off or the turn ends. */
async function streamOnce(turnId: string, seen: SeenTurn, client: ApiClient): Promise<'over' | 'again'> {
  const response = await client.open(`/v1/turns/${turnId}/events`, seen.numbers.at(-1) ?? 0);
  if (response?.status === 204) return 'over';
  if (response?.status === 200 && response.body) await readStream(response.body, { turnId, seen, client });
  if (seen.status !== null || client.isOver()) return 'over';
  await sleep(PAUSE_MS);
  return 'again';
}

type Following = { turnId: string; seen: SeenTurn; client: ApiClient };

async function readStream(body: ReadableStream<Uint8Array>, { turnId, seen, client }: Following): Promise<void> {
  for await (const event of readEvents(body, { onChunk: () => {}, silenceMs: SILENCE_MS })) {
    // The events are compared with the database afterwards, and only read here.
    const { sequence_number: number, type, turn } = event as StreamEvent;
    if (number !== undefined) seen.numbers.push(number);
    if (type === 'turn.requires_action') await answerCalls(turnId, event as StreamEvent, client);
    if (turn) end(seen, turn);
  }
}

async function pollOnce(turnId: string, seen: SeenTurn, client: ApiClient): Promise<'over' | 'again'> {
  const answer = await client.send({ method: 'GET', path: `/v1/turns/${turnId}?wait=5` });
  if (!answer) return 'over';
  const turn = answer.body as StreamEvent;
  if (turn.required_action) await answerCalls(turnId, turn, client);
  if (TERMINAL.includes(turn.status ?? '')) {
    end(seen, { status: turn.status ?? '', last_event: turn.last_event ?? 0 });
    return 'over';
  }
  if (answer.status !== 200) await sleep(PAUSE_MS);
  return 'again';
}

function end(seen: SeenTurn, { status, last_event: lastEvent }: { status: string; last_event: number }): void {
  seen.status = status;
  seen.lastEvent = lastEvent;
}

async function answerCalls(turnId: string, { required_action: action }: StreamEvent, client: ApiClient): Promise<void> {
  const outputs = (action?.tool_outputs ?? []).map(({ id }) => ({ tool_call_id: id, output: 'as you like' }));
  if (outputs.length === 0) return;
  await client.send({ method: 'POST', path: `/v1/turns/${turnId}/tool_outputs`, body: { tool_outputs: outputs } });
}
