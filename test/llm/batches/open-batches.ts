import type { BatchServer } from '#core/llm/batches/batch-server.ts';
import { NotAnswered, replayAnswers } from '#core/llm/batches/replay-answers.ts';
import type { Provider, RoundRequest } from '#core/llm/provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import type { ApiAnswer } from './servers/api-server.ts';
import {
  CREATED_AT,
  type ScriptedBatch,
  type ScriptedResult,
  type ScriptedServer,
} from './servers/scripted-batches.ts';

/** How the exam uses one batch API. */
export type BatchApiUnderTest = {
  start(): Promise<ScriptedServer>;
  open(origin: string): { batches: BatchServer; provider: Provider };
  /** A whole reply of the wire, and the body of a refused request. */
  whole: (text: string) => object;
  refused: object;
  refusal: (status: number, message: string) => ApiAnswer;
};

export const { signal } = new AbortController();
export const asked = { provider: 'batched', model: 'some-model' };

/** Returns the body that a provider would send. */
export async function bodyOf(provider: Provider, more: Partial<RoundRequest> = {}): Promise<object> {
  const request = { ...someRequest, ...more, exchange: replayAnswers([], asked) };
  const error: unknown = await provider.ask(request, signal, () => {}).catch((failure: unknown) => failure);
  if (!(error instanceof NotAnswered)) throw error;
  return error.body;
}

export async function* linesOf(lines: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* lines;
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/**
 * Opens a scripted server, and returns how to send a batch with these ids: a batch that runs, or that has ended with
 * results.
 */
export async function openBatches(api: BatchApiUnderTest, ids: string[]) {
  const server = await api.start();
  const { batches, provider } = api.open(server.origin);
  const body = await bodyOf(provider);
  const lines = ids.map((id) => batches.lineOf({ id, body }));
  const happened: string[] = [];
  const commit = async () => void happened.push(`commit with ${server.batches.length} batches`);
  const send = (by: { commit?: () => Promise<void>; signal?: AbortSignal } = {}, key = 'key_1') =>
    batches.send({ key, model: 'some-model' }, linesOf(lines), { commit, signal, ...by });
  const sendRunning = async (): Promise<ScriptedBatch> => {
    const sent = await send();
    const batch = server.batches.find(({ id }) => sent.kind === 'sent' && id === sent.id);
    if (!batch) throw new Error('no batch was sent');
    return batch;
  };
  const sendEnded = async (results: ScriptedResult[]): Promise<ScriptedBatch> =>
    Object.assign(await sendRunning(), { state: 'ended', results });
  const unconfirmed = { key: 'key_1', model: 'some-model', createdAt: CREATED_AT, ids: new Set(ids) };
  return { server, batches, provider, send, sendRunning, sendEnded, happened, unconfirmed };
}
