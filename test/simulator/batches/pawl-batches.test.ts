import { expect } from 'vitest';
import { anthropicProvider } from '#core/llm/anthropic/anthropic-provider.ts';
import { anthropicBatches } from '#core/llm/batches/anthropic/anthropic-batches.ts';
import type { BatchServer } from '#core/llm/batches/batch-server.ts';
import { geminiBatches } from '#core/llm/batches/gemini/gemini-batches.ts';
import { openaiBatches } from '#core/llm/batches/openai/openai-batches.ts';
import { replayAnswers } from '#core/llm/batches/replay-answers.ts';
import { geminiProvider } from '#core/llm/gemini/gemini-provider.ts';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import { openaiProvider } from '#core/llm/openai/openai-provider.ts';
import { openaiResponsesProvider } from '#core/llm/openai-responses/openai-responses-provider.ts';
import type { Provider } from '#core/llm/provider.ts';
import type { BatchAnswer } from '#core/turn/batches/batch-answer.ts';
import { msAgo } from '#test/harness/moments.ts';
import { asked, bodyOf, collect, linesOf, signal } from '#test/llm/batches/open-batches.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import { type Batches, HOUR_MS, scriptText, test } from './ask-batches.ts';

const { post } = makeHttpClient();
const about = { name: 'batched', apiKey: 'none-at-all', post };
type Wire = { batches: BatchServer; provider: Provider };

/** Pawl's providers with their batch APIs at a simulator. */
const WIRES = {
  openai: ({ simulator }: Batches): Wire => {
    const server = { ...about, baseUrl: simulator.baseUrl };
    const batches = openaiBatches({ server, endpoint: '/v1/chat/completions', place: 'sim' });
    return { batches, provider: openaiProvider(server) };
  },
  responses: ({ simulator }: Batches): Wire => {
    const server = { ...about, baseUrl: simulator.baseUrl };
    const batches = openaiBatches({ server, endpoint: '/v1/responses', place: 'sim' });
    return { batches, provider: openaiResponsesProvider(server) };
  },
  anthropic: ({ origin }: Batches): Wire => {
    const server = { ...about, baseUrl: origin };
    return { batches: anthropicBatches(server), provider: anthropicProvider(server) };
  },
  gemini: ({ origin }: Batches): Wire => {
    const server = { ...about, baseUrl: origin };
    return { batches: geminiBatches(server), provider: geminiProvider(server) };
  },
};
const NAMES = Object.keys(WIRES) as (keyof typeof WIRES)[];

/** Sends a batch with a request for each script. */
async function send({ batches, provider }: Wire, sims: object[]) {
  const bodies = await Promise.all(sims.map((sim) => bodyOf(provider, requestOf(sim))));
  const lines = bodies.map((body, index) => batches.lineOf({ id: `req_${index}`, body }));
  return batches.send({ key: 'key_1', model: 'demo' }, linesOf(lines), { commit: async () => {}, signal });
}

/** Sends a batch that the server accepts. */
async function sendAccepted(wire: Wire, sims: object[]) {
  const sent = await send(wire, sims);
  if (sent.kind !== 'sent') throw new Error('the batch was refused');
  return sent;
}

function requestOf(sim: object) {
  return { messages: [{ role: 'user' as const, content: scriptText(sim) }] };
}

/** Returns the answers of an ended batch, by the ids of its requests. */
async function answersOf({ batches }: Wire, id: string): Promise<Map<string, BatchAnswer>> {
  await batches.state(id, signal);
  return new Map((await collect(batches.results(id, signal))).map((result) => [result.id, result.answer]));
}

/** Reads the answer of a batch as the reply of a round. */
function replay({ provider }: Wire, sim: object, answer: BatchAnswer) {
  const exchange = replayAnswers([answer], asked);
  return provider.ask({ ...someRequest, ...requestOf(sim), exchange }, signal, () => {});
}

const busy = { final: { fault: { kind: 'status', status: 429 } } };

test.for(NAMES)('Pawl sends, finds, reads and deletes a batch over the wire %s', async (name, { model }) => {
  const wire = WIRES[name](model);
  const { batches } = wire;
  const ids = new Set(['req_0', 'req_1']);

  const { id, files } = await sendAccepted(wire, [{ answer: 'First.' }, busy]);
  const found = await batches.find({ key: 'key_1', model: 'demo', createdAt: new Date(msAgo(0)), ids }, signal);
  const state = await batches.state(id, signal);
  const answers = await answersOf(wire, id);
  const kept = { id, files: [...files, ...(state.kind === 'ended' ? state.files : [])] };

  expect(found).toEqual({ kind: 'found', id });
  expect(await replay(wire, {}, answers.get('req_0')!)).toMatchObject({ text: 'First.', finishReason: 'stop' });
  await expect(replay(wire, {}, answers.get('req_1')!)).rejects.toMatchObject({ code: 'provider_rate_limited' });
  expect([await batches.remove(kept, signal), await batches.remove(kept, signal)]).toEqual([true, true]);
});

test.for(NAMES)('Pawl finds a batch with a lost answer over the wire %s', async (name, { model }) => {
  const wire = WIRES[name](model);
  const lost = { key: 'key_1', model: 'demo', createdAt: new Date(msAgo(0)), ids: new Set(['req_0']) };

  await expect(send(wire, [{ batch: { lose_answer: true, list_ms: HOUR_MS } }])).rejects.toMatchObject({
    code: 'provider_unavailable',
  });
  const early = await wire.batches.find(lost, signal);
  const [{ id } = { id: '' }] = model.simulator.batches.created;
  model.simulator.batches.show(id);
  const late = await wire.batches.find(lost, signal);

  expect([early, late]).toEqual([{ kind: 'missing' }, { kind: 'found', id: expect.stringContaining(id) }]);
});

test.for(NAMES)('Pawl repeats a batch that a full queue refuses over the wire %s', async (name, { model }) => {
  const wire = WIRES[name](model);

  const sent = await send(wire, [{ batch: { refuse: true } }]);
  const refused = sent.kind === 'sent' ? await wire.batches.state(sent.id, signal) : sent;

  expect(refused).toMatchObject({ kind: 'refused', isTooLarge: false, badLine: null });
  expect(refused).toMatchObject({ failure: { code: 'provider_rate_limited' } });
});

test.for(NAMES)('Pawl reads cut results of a batch again over the wire %s', async (name, { model }) => {
  const wire = WIRES[name](model);

  const { id } = await sendAccepted(wire, [{ batch: { cut_results: true } }, {}]);

  await expect(answersOf(wire, id)).rejects.toThrow();
  expect([...(await answersOf(wire, id)).keys()].sort()).toEqual(['req_0', 'req_1']);
});

test.for(NAMES)('Pawl cancels a running batch over the wire %s', async (name, { model }) => {
  const wire = WIRES[name](model);
  const { id } = await sendAccepted(wire, [{ batch: { end: 'never' } }]);

  const running = await wire.batches.state(id, signal);
  await wire.batches.cancel(id, signal);

  expect([running.kind, (await wire.batches.state(id, signal)).kind]).toEqual(['running', 'ended']);
});

test.for(NAMES)('Pawl reads no reply from an expired request of a batch over the wire %s', async (name, { model }) => {
  const wire = WIRES[name](model);

  const { id } = await sendAccepted(wire, [{ batch: { end: 'expired' } }]);
  const answers = await answersOf(wire, id);

  expect((await wire.batches.state(id, signal)).kind).toBe('ended');
  expect(answers.get('req_0')?.kind).toBe(name === 'gemini' ? undefined : 'expired');
});
