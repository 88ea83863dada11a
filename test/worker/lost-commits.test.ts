import { expect, test } from 'vitest';
import { createHarness, type Harness, workUntilEnded } from '#test/harness/create-harness.ts';
import { keepRows } from '#test/harness/keep-rows.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openChangingModel, WHICH_TRY } from '#test/harness/servers/changing-model.ts';
import { openToolRecorder } from '#test/harness/servers/tool-recorder.ts';

// A failover to an asynchronous standby loses the last commits, while workers that know them continue.

test('a worker does not continue from a round that the database has lost', async () => {
  await using model = await openChangingModel();
  await using first = await createHarness({ env: { OPENAI_BASE_URL: model.baseUrl } });
  await using second = await createHarness({ env: { ...first.env } });
  const rounds = ['Town', 'Place'].map((kind) => lookUp(`${kind} ${WHICH_TRY}`));
  const input = scripted({ rounds, answer: 'Got {{results}}' });
  const { id } = await first.startTurn({ input, tools: ['weather_lookup'] });
  const goBack = await keepRows(first.db);
  for (const harness of [first, second, first]) await harness.workOnce();

  await goBack();
  await workUntilAt(second, id, 'r2');
  await first.workUntilIdle();

  const { status, output, rounds: committed } = await first.findTurn(id);
  expect(status).toBe('completed');
  expect(committed[0]?.tool_calls[0]?.arguments).toEqual({ city: 'Town 2' });
  expect(output).toContain('Town 2');
  expect(output).not.toContain('Town 1');
});

test.for(['call_{{try}}', 'call_0'])(
  'a lost call’s result is not used for another call, with ids as %s',
  async (callId) => {
    await using model = await openChangingModel();
    await using recorder = await openToolRecorder();
    await using first = await createHarness({ env: { OPENAI_BASE_URL: model.baseUrl } });
    await using second = await createHarness({ env: { ...first.env } });
    const call = { id: callId, name: 'look_up', arguments: { mark: `Town ${WHICH_TRY}` } };
    const input = scripted({ rounds: [{ tools: [call] }], answer: 'Got {{results}}' });
    const { id } = await first.startTurn({ input, tools: [slowTool(recorder.url)] });
    const goBack = await keepRows(first.db);
    await first.workOnce();
    const working = first.workOnce();
    await recorder.called('slow', 1);

    await goBack();
    await workUntilAt(second, id, 'b1');
    recorder.release();
    await working;
    const before = await first.findTurn(id);
    const { output } = await workUntilEnded(second, id);

    expect(before.rounds[0]?.results).toMatchObject([{ status: 'pending' }]);
    expect(output).toContain('Town 2');
  },
);

test('a reply to a history that the database has lost is not saved', async () => {
  await using model = await openChangingModel();
  await using first = await createHarness({ env: { OPENAI_BASE_URL: model.baseUrl } });
  await using second = await createHarness({ env: { ...first.env } });
  const input = scripted({
    rounds: [lookUp(`Town ${WHICH_TRY}`)],
    answer: 'Got {{results}}',
  });
  const { id } = await first.startTurn({ input, tools: ['weather_lookup'] });
  const goBack = await keepRows(first.db);
  await first.workOnce();
  await first.workOnce();
  const held = model.hold(1);
  const asking = first.workOnce();
  await held.reached;

  await goBack();
  await workUntilAt(second, id, 'r2');
  held.open();
  await asking;
  const before = await first.findTurn(id);
  const { output } = await workUntilEnded(second, id);

  expect(before.status).toBe('in_progress');
  expect(output).toContain('Town 2');
});

const lookUp = (city: string) => ({ tools: [{ name: 'weather_lookup', arguments: { city } }] });

const slowTool = (url: string) => ({
  name: 'look_up',
  description: 'Looks something up',
  effect: 'idempotent',
  parameters: { type: 'object', properties: { mark: { type: 'string' } } },
  execution: { kind: 'http', url: `${url}/slow` },
});

/** Runs the earlier jobs until this step is due. */
async function workUntilAt(harness: Harness, turnId: string, step: string): Promise<void> {
  for (let jobs = 0; jobs < 20; jobs += 1) {
    const turn = await harness.db.selectFrom('turn_states').select('step').where('id', '=', turnId).executeTakeFirst();
    if (turn?.step === step) return;
    if (await harness.workOnce()) continue;
    await harness.advance(60_000);
    await harness.rescue();
  }
  throw new Error(`${turnId} did not come to ${step}.`);
}
