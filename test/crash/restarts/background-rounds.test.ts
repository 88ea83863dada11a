import type OpenAI from 'openai';
import { expect, test } from 'vitest';
import { readEvents } from '#client/events/read-events.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import { startProcess, type TestProcess } from '#test/harness/start-process.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { openaiClient } from '../../api/openai/responses/openai-client.ts';
import { WHICH_TRY } from '../../harness/servers/changing-model.ts';
import { openToolRecorder } from '../../harness/servers/tool-recorder.ts';
import { joinedOutput } from '../../turn/responses/make-response.ts';
import { openBackgroundModel } from './background-model.ts';
import { type Followed, followToEnd } from './follow-to-end.ts';

const TURNS = 4;
const ROUNDS = 3;
const HOUR_MS = 3_600_000;

const timeout = 480_000;

describeQueues(({ redis }) => {
  test('background rounds create one response each if a worker is killed in each', { timeout }, async () => {
    await using scene = await openScene(redis);
    const { model } = scene;

    await scene.replaceWorker();
    const watched = await Promise.all(Array.from({ length: TURNS }, () => watch(scene, 'Round')));
    await killInEachRound(scene, watched);

    const creates = [...model.creates.values()];
    expect(creates).toEqual(Array.from({ length: TURNS * ROUNDS }, () => 1));
    for (const one of watched) await expectStoredText(scene, one);
    await waitUntil(() => expect(model.responses.list()).toEqual([]));
  });

  test('watchers of background rounds join the saved answer if an unknown one differs', { timeout }, async () => {
    await using scene = await openScene(redis);
    const { model } = scene;
    const held = model.hold();

    await scene.replaceWorker();
    const watched = await Promise.all(Array.from({ length: TURNS }, () => watch(scene, `Request ${WHICH_TRY}`)));
    await waitUntil(() => expect(model.creates.size).toBe(TURNS));
    await scene.replaceWorker();
    held.open();
    await killInEachRound(scene, watched);

    const creates = [...model.creates].map(([name, times]) => `${name.split('.')[1]}: ${times}`);
    expect(new Set(creates)).toEqual(new Set(['1: 2', '2: 1', '3: 1']));
    for (const one of watched) await expectStoredText(scene, one);
    expect(watched[0]?.texts[1]).toContain('Request 2');
    await waitUntil(() => expect(model.responses.list()).toHaveLength(TURNS));
  });
});

/** Opens a model, an API and tools. `replaceWorker` starts a worker, and kills the worker before. */
async function openScene(redis: boolean) {
  const disposed = new AsyncDisposableStack();
  const model = disposed.use(await openBackgroundModel());
  const recorder = disposed.use(await openToolRecorder());
  const env = { OPENAI_BASE_URL: model.baseUrl, OPENAI_WIRE: 'responses', OPENAI_BACKGROUND: '1' };
  const harness = disposed.use(await createHarness({ redis, env }));
  let worker: TestProcess | null = null;
  disposed.defer(async () => void (await worker?.kill('SIGKILL')));
  return {
    ...{ model, harness, toolUrl: recorder.url },
    async replaceWorker() {
      const next = await startProcess('worker', harness.env);
      await worker?.kill('SIGKILL');
      worker = next;
    },
    [Symbol.asyncDispose]: () => disposed.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

/** A response with its clients: the texts of its rounds by the stream of the turn, and the events of its own stream. */
type Watched = { id: string; texts: string[]; followed: Followed; over: Promise<unknown> };

/** Creates a response whose rounds pause, and follows it as a turn and as a response. */
async function watch({ harness, toolUrl }: Scene, words: string): Promise<Watched> {
  const { id } = await openaiClient(harness).responses.create(requestOf(words, toolUrl));
  const texts: string[] = [];
  const followed: Followed = { received: [], connections: 0, superseded: 0 };
  const over = Promise.all([followTexts(harness.url, turnOf(id), texts), followToEnd([harness.url], id, followed)]);
  return { id, texts, followed, over };
}

function requestOf(words: string, toolUrl: string) {
  const background = { pause_after_chars: 8, pause_ms: HOUR_MS };
  const call = { name: 'note', arguments: { mark: words } };
  const rounds = Array.from({ length: ROUNDS - 1 }, () => ({
    say: `${words} of the turn 🐢.`,
    tools: [call],
    background,
  }));
  const input = scripted({ piece_chars: 4, rounds, answer: `${words} at last 🐢.`, final: { background } });
  const execution = { kind: 'http', url: `${toolUrl}/note` };
  const tool = { type: 'function', name: 'note', parameters: { type: 'object' }, execution, effect: 'idempotent' };
  const tools = [tool as unknown as OpenAI.Responses.FunctionTool];
  return { model: 'openai/test', background: true as const, input, tools };
}

const turnOf = (responseId: string) => responseId.replace('resp_', 'turn_');

/** Joins the texts of the rounds of a turn from its live events, by their numbers, over a single connection. */
async function followTexts(url: string, turnId: string, texts: string[]): Promise<void> {
  const { body } = await fetch(`${url}/v1/turns/${turnId}/events`, { headers: { accept: 'text/event-stream' } });
  for await (const event of body ? readEvents(body, { onChunk: () => {} }) : []) {
    if (event.type !== 'output_text.delta') continue;
    texts[event.round] = (texts[event.round] ?? '').slice(0, event.offset) + event.delta;
  }
}

/** Kills the worker in each round, in the middle of all responses. The next worker resumes them to their end. */
async function killInEachRound({ model, replaceWorker }: Scene, watched: Watched[]): Promise<void> {
  for (let round = 1; round <= ROUNDS; round += 1) {
    await waitUntil(() => expect(watched.every(({ texts }) => texts[round])).toBe(true));
    await replaceWorker();
    await waitUntil(() => expect(model.areResumed(watched.length)).toBe(true));
    model.skipAll();
  }
  await Promise.all(watched.map(({ over }) => over));
}

async function expectStoredText({ harness }: Scene, { id, texts, followed }: Watched): Promise<void> {
  const { rounds, output } = await harness.findTurn(turnOf(id));
  const stored = rounds.map(({ assistant_response: said }) => said ?? output);
  const response = await openaiClient(harness).responses.retrieve(id);
  expect(texts.slice(1)).toEqual(stored);
  expect(rounds).toHaveLength(ROUNDS);
  expect(joinedOutput(followed.received)).toEqual(response.output);
  expect(followed.superseded).toBe(0);
}
