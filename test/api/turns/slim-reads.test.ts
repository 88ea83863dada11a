import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { describeRefusal } from '#test/api/refusals.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';

const LOCATE = { name: 'locate_user', description: 'Asks the device where the user is' };
const ASK = scripted({ rounds: [{ tools: [{ name: 'locate_user', arguments: {}, id: 'call_1' }] }] });

const get = async ({ call }: Harness, path: string) => (await call<TurnResource>('GET', path)).body;
const contentOf = (turn: TurnResource) => turn.rounds[0]?.results[0];

async function startWith(harness: Harness, output: unknown): Promise<TurnResource> {
  const turn = await harness.startTurn({ input: ASK, tools: [LOCATE] });
  await harness.workUntilIdle();
  const body = { tool_outputs: [{ tool_call_id: 'call_1', output }] };
  await harness.call('POST', `/v1/turns/${turn.id}/tool_outputs`, { body });
  return turn;
}

test('a result is cut between characters and marked, and its whole output is kept', async ({ harness }) => {
  const text = 'aé€😀z';
  const turn = await startWith(harness, text);
  const cutAt = async (bytes: number) =>
    contentOf(await get(harness, `/v1/turns/${turn.id}?max_result_bytes=${bytes}`));

  const cuts = ['', 'a', 'a', 'aé', 'aé', 'aé', 'aé€', 'aé€', 'aé€', 'aé€', 'aé€😀'];
  for (const [bytes, content] of cuts.entries()) {
    expect([bytes, await cutAt(bytes)]).toMatchObject([bytes, { content, truncated: true }]);
  }
  for (const bytes of [11, 12, 1_000_000])
    expect(await cutAt(bytes)).toMatchObject({ content: text, truncated: false });
  const whole = await harness.call('GET', `/v1/turns/${turn.id}/tool_outputs/call_1`);
  expect(whole.body).toMatchObject({ output: text, truncated: false });
});

test('texts of result parts are cut, and images are kept', async ({ harness }) => {
  const image = { type: 'input_image', image_url: 'https://example.com/cat.png' };
  const turn = await startWith(harness, [
    { type: 'input_text', text: 'a cat' },
    image,
    { type: 'input_text', text: 'and a dog' },
  ]);

  const result = contentOf(await get(harness, `/v1/turns/${turn.id}?max_result_bytes=8`));

  expect(result).toMatchObject({ truncated: true });
  expect(result?.content).toEqual([{ type: 'input_text', text: 'a cat' }, image, { type: 'input_text', text: 'and' }]);
});

test('results over 4 MiB are cut in all views of a turn, the longest first', async ({ harness }) => {
  const ids = ['call_1', 'call_2', 'call_3', 'call_4'];
  const tools = ids.map((id) => ({ name: 'locate_user', arguments: {}, id }));
  const turn = await harness.startTurn({ input: scripted({ rounds: [{ tools }] }), tools: [LOCATE] });
  await harness.workUntilIdle();
  const outputs = ids.map((id) => ({ tool_call_id: id, output: id }));
  await harness.call('POST', `/v1/turns/${turn.id}/tool_outputs`, { body: { tool_outputs: outputs } });
  await harness.workUntilIdle();
  await enlarge(harness, turn.id, { call_2: 1, call_3: 2, call_4: 3 });

  const shown = await get(harness, `/v1/turns/${turn.id}`);
  const { body: ledger } = await harness.call<{ data: TurnResource['rounds'] }>('GET', `/v1/turns/${turn.id}/rounds`);
  const last = `/v1/turns/${turn.id}/events?after=${shown.last_event - 1}`;
  const { body: events } = await harness.call<{ data: { turn: TurnResource }[] }>('GET', last);
  const whole = await harness.call<{ output: string }>('GET', `/v1/turns/${turn.id}/tool_outputs/call_4`);

  const results = shown.rounds[0]!.results.map(({ content, truncated }) => [content!.length, truncated]);
  const cut = [Math.floor((4 * MIB - 6 - MIB) / 2), true];
  expect(results).toEqual([[6, false], [MIB, false], cut, cut]);
  expect(ledger.data).toMatchObject(shown.rounds);
  expect(events.data[0]!.turn.rounds).toEqual(shown.rounds);
  expect(whole.body.output).toHaveLength(3 * MIB);
});

const MIB = 1024 * 1024;

/** Replaces the results of calls with texts of so many MiB. */
async function enlarge({ db }: Harness, turnId: string, sizes: Record<string, number>): Promise<void> {
  for (const [id, size] of Object.entries(sizes)) {
    await sql`update tool_calls set result = (result::jsonb || jsonb_build_object('content', repeat('x', ${size * MIB}::int)))::json
      where turn_id = ${turnId} and id = ${id}`.execute(db);
  }
}

test('a turn shows its configuration with only the names of secrets', async () => {
  await using harness = await createHarness({ env: { PAWL_SECRETS: '{"crm":"k3y-of-the-crm"}' } });
  const url = 'http://127.0.0.1:9/';
  const authorization = `Bearer \${secret:crm}`;
  const { conversation_id, ...first } = await harness.startTurn({
    ...{ input: 'Hi', instructions: 'Be brief.', temperature: 0.2, limits: { max_rounds: 3 }, seed: 7 },
    ...{
      tools: [
        'weather_lookup',
        httpTool('search', url, { execution: { kind: 'http', url, headers: { authorization } } }),
      ],
    },
    provider_options: { user: 'ada' },
  });
  const path = `/v1/conversations/${conversation_id}/turns`;
  const { body: later } = await harness.call<TurnResource>('POST', path, { body: { input: 'Hi', instructions: null } });

  const [shown, own] = await Promise.all(
    [first.id, later.id].map((id) => get(harness, `/v1/turns/${id}?include=config`)),
  );

  expect(shown).toMatchObject({
    config: {
      ...{ model: 'openai/test', instructions: 'Be brief.' },
      sampling: { temperature: 0.2, top_p: null, seed: 7 },
      ...{ tool_choice: 'auto', tool_mode: 'native', provider_options: { user: 'ada' } },
      limits: { max_rounds: 3, max_tool_calls: 200 },
      tools: [
        { name: 'weather_lookup', execution: { kind: 'server' }, effect: 'none', timeout_ms: 30_000 },
        { name: 'search', execution: { kind: 'http', url, headers: { authorization } } },
      ],
    },
  });
  expect(own).toMatchObject({ config: { instructions: null, sampling: { temperature: 0.2 } } });
  expect(JSON.stringify(shown)).not.toContain('k3y-of-the-crm');
  expect(await get(harness, `/v1/turns/${first.id}`)).not.toHaveProperty('config');
});

test.each([
  ['/v1/turns?stauts=failed', '400 unknown_field: stauts'],
  ['/v1/turns?status=failed,finished', '400 invalid_value: status'],
  ['/v1/turns?status=', '400 invalid_value: status'],
  ['/v1/turns?created_after=yesterday', '400 invalid_value: created_after'],
  ['/v1/turns?metadata=17', '400 invalid_value: metadata'],
  ['/v1/turns?metadata[=17', '400 invalid_value: metadata['],
  ['/v1/turns?metadata[]=17', '400 invalid_value: metadata[]'],
  ['/v1/turns?metadata[a][b]=17', '400 invalid_value: metadata[a][b]'],
  ['/v1/turns?metadata[a]=1&metadata[a]=2', '400 invalid_value: metadata[a]'],
  ['/v1/turns?metadata.a=17', '400 unknown_field: metadata.a'],
  ['/v1/turns?q=', '400 invalid_value: q'],
  ['/v1/turns?include=config', '400 invalid_value: include'],
  ['/v1/conversations?status=failed', '400 unknown_field: status'],
  ['/v1/conversations?metadata[=17', '400 invalid_value: metadata['],
  ['/v1/turns/turn_x?max_result_bytes=-1', '400 invalid_value: max_result_bytes'],
  ['/v1/turns/turn_x?include=rounds', '400 invalid_value: include'],
  ['/v1/turns/turn_x?metadata[a]=1', '400 unknown_field: metadata[a]'],
])('%s is refused with %s', async (path, refusal) => {
  await using harness = await createHarness();

  expect(describeRefusal(await harness.call('GET', path))).toBe(refusal);
});

test.for([
  'q=%00',
  'q=%27%22%5C%3A%26%7C%21%28%29%3C-%3E',
  'metadata[%00]=%00',
  'model=%27',
  'error_code=%00',
  'q=%ED%A0%80',
])('a search accepts any text: %s', async (query, { harness }) => {
  await harness.startTurn({ input: 'Hi' });

  expect(await harness.call('GET', `/v1/turns?${query}`)).toMatchObject({ status: 200, body: { data: [] } });
});
