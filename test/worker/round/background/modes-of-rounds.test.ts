import { expect } from 'vitest';
import { workUntilEnded } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import {
  answer,
  closeAll,
  loseWorker,
  MODEL,
  openBackground,
  rowsOf,
  runUntilPaused,
  start,
  test,
} from './background-turns.ts';

const look = { name: 'weather_lookup', arguments: { city: 'Tokyo' } };
const stores = ({ modelRequests }: { modelRequests: { sent: unknown }[] }) =>
  modelRequests.map(({ sent }) => (sent as { store?: boolean }).store);

test('an emulated round follows each of its responses after its worker died', async ({ harness }) => {
  const pause = { background: { pause_after_chars: 4, pause_ms: 3_600_000, times: 1 } };
  const script = { calls_as: 'json', piece_chars: 4, rounds: [{ tools: [look], ...pause }], answer };
  const { id } = await start(harness, script, { tool_mode: 'emulated' });
  const { response, running } = await runUntilPaused(harness);
  await loseWorker(harness, id, running);
  harness.keptResponses.skipDelay(response);

  const turn = await workUntilEnded(harness, id);
  await closeAll(harness, 1);

  expect(turn).toMatchObject({ status: 'completed', output: answer });
  expect(harness.keptResponses.counts.creates).toBe(turn.usage.llm_calls);
  expect(harness.keptResponses.list()).toEqual([]);
});

test('a response that is not stored has no stored response at its provider', async ({ harness }) => {
  const body = { model: MODEL, input: scripted({ answer }), store: false };
  const answering = harness.call<{ output_text: string }>('POST', '/openai/v1/responses', { body });
  await waitUntil(async () => (await harness.workOnce()) !== false);

  expect(await answering).toMatchObject({ status: 200, body: { status: 'completed' } });
  expect(stores(harness)).toEqual([false]);
});

const PROVIDER = (modelUrl: string, background: unknown) => ({
  PAWL_PROVIDERS: JSON.stringify({ own: { kind: 'openai-responses', base_url: modelUrl, background } }),
});

test.for([
  [true, 'own/gpt-6', [true, true]],
  [{ store: false }, 'own/gpt-6', [true, false]],
  [['gpt-6*-pro'], 'own/gpt-6.1-pro', [true, true]],
  [['gpt-6*-pro'], 'own/gpt-6.1', [undefined, false]],
  [false, 'own/gpt-6', [undefined, false]],
] as const)(
  'with background %j the model %s is asked with background and store as %j',
  async ([setting, model, fields]) => {
    await using harness = await openBackground((modelUrl) => PROVIDER(modelUrl, setting));

    const { id } = await start(harness, { answer }, { model });
    await harness.workUntilIdle();

    expect(await harness.findTurn(id)).toMatchObject({ status: 'completed', output: answer });
    const [request] = harness.modelRequests;
    const { background, store } = request!.sent as { background?: boolean; store?: boolean };
    expect([background, store]).toEqual(fields);
    expect(await rowsOf(harness)).toHaveLength(background ? 1 : 0);
  },
);

test('a turn may leave the background by its provider options', async ({ harness }) => {
  await start(harness, { answer }, { provider_options: { background: false } });

  await harness.workUntilIdle();

  expect(harness.modelRequests[0]!.sent).toMatchObject({ background: false, store: false });
  expect(await rowsOf(harness)).toEqual([]);
});

test('a turn may ask in the background by its provider options', async () => {
  await using harness = await openBackground({ OPENAI_BACKGROUND: '0' });
  await start(harness, { answer }, { provider_options: { background: true } });

  await harness.workUntilIdle();
  await closeAll(harness, 1);

  expect(harness.modelRequests[0]!.sent).toMatchObject({ background: true, store: true });
  expect(harness.keptResponses.counts).toMatchObject({ creates: 1, deletes: 1 });
});
