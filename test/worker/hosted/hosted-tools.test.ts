import { expect } from 'vitest';
import { openStream } from '#test/api/stream/open-stream.ts';
import { dumpTables } from '#test/harness/stores/dump-tables.ts';
import { CITED, HOSTED_WIRES, type HostedWire, INTRO, SOURCE } from './hosted-wires.ts';
import { test } from './open-wires.ts';

const requestOf = ({ provider }: HostedWire) => ({
  model: `${provider}/model`,
  input: 'How warm is it?',
  tools: ['weather_lookup', { type: 'web_search' }, { type: 'code_execution' }],
  prompt_cache: 'off',
  limits: { max_cost_usd: 1, max_tool_calls: 1 },
});

const citationAt = (start_index: number) => ({
  ...{ type: 'url_citation', ...SOURCE, start_index, end_index: start_index + CITED.length },
});

test.for(HOSTED_WIRES)('a turn searches, calls a function and runs code on $kind', async (wire, { wires }) => {
  const { harness, servers } = wires;
  const turn = await harness.runTurn(requestOf(wire));
  const asked = servers.get(wire.provider)?.asked ?? [];

  expect(turn).toMatchObject({ status: 'completed', output: '71.6 °F.', output_annotations: [], output_parts: null });
  expect(turn.rounds).toMatchObject([
    {
      ...{ assistant_response: `${INTRO}${CITED}`, tool_calls: [{ name: 'weather_lookup' }] },
      hosted_calls: [{ type: 'web_search', status: 'completed', error: null, input: wire.searched }],
      output_annotations: [citationAt(INTRO.length)],
    },
    { hosted_calls: [{ type: 'code_execution', status: 'completed', output: expect.stringContaining('71.6') }] },
  ]);
  expect(turn.usage).toMatchObject({ hosted_calls: { web_search: 1, code_execution: 1 }, tool_calls: 1, llm_calls: 2 });
  expect(turn.usage.cost_usd).toBeCloseTo(0.01 + 0.002 + (200 * 1 + 40 * 10) / 1e6, 9);
  expect(asked.map(({ body }) => wire.offered(body ?? {}).length)).toEqual([2, 2]);
  expect(wire.sentBack(asked[1]?.body ?? {})).toMatchObject(wire.own);
});

test.for(HOSTED_WIRES)('watchers see the hosted calls of $kind live', async (wire, { wires }) => {
  const { harness, servers } = wires;
  const [first, second] = wire.replies;
  const seenCode = Promise.withResolvers<void>();
  const events = second?.body ?? [];
  servers.get(wire.provider)?.answer({ ...first });
  servers.get(wire.provider)?.answerNext({ body: [...events.slice(0, -1), seenCode.promise, ...events.slice(-1)] });
  const { id } = await harness.startTurn(requestOf(wire));
  const stream = await openStream(`${harness.url}/v1/turns/${id}/events`, {});
  await harness.untilReceived('catch-up', id);
  const working = harness.workUntilIdle();
  await stream.until((seen) => seen.some(({ data }) => isCompletedCode(data)));
  seenCode.resolve();
  await working;
  await stream.over;

  const code = stream.seen.map(({ data }) => data).filter(isOfCode);
  expect(code).toMatchObject([
    { type: 'hosted_call.started', round: 2, hosted_call: { status: 'in_progress', offset: 0 } },
    { type: 'hosted_call.completed', round: 2, hosted_call: { status: 'completed', offset: 0 } },
  ]);
});

type Data = Record<string, unknown>;
const isOfCode = ({ hosted_call: call }: Data) => (call as { type?: string } | undefined)?.type === 'code_execution';
const isCompletedCode = (data: Data) => isOfCode(data) && data.type === 'hosted_call.completed';

test.for(HOSTED_WIRES)('another provider than $kind reads notes about its calls', async (wire, { wires }) => {
  const { harness, servers } = wires;
  const other = HOSTED_WIRES.find(({ provider }) => provider !== wire.provider) as HostedWire;
  const turn = await harness.runTurn(requestOf(wire));
  await harness.call('POST', `/v1/conversations/${turn.conversation_id}/turns`, {
    body: { ...requestOf(other), input: 'And now?' },
  });
  await harness.workUntilIdle();
  const sent = JSON.stringify(servers.get(other.provider)?.asked.at(0)?.body);

  expect(sent).toContain('[The provider ran web_search');
  expect(sent).toContain('[The provider ran code_execution');
  expect(sent).not.toMatch(/srvtoolu_|ws_1|ci_1|executableCode|enc-1/);
});

test('a deleted turn leaves no hosted output and no citation in any table', async ({ wires }) => {
  const { harness } = wires;
  const ids: string[] = [];
  for (const wire of HOSTED_WIRES) ids.push((await harness.runTurn(requestOf(wire))).id);
  const before = await dumpTables(harness.db);
  for (const id of ids) await harness.call('DELETE', `/v1/turns/${id}`);
  const after = await dumpTables(harness.db);

  for (const mark of ['weather.example', '71.6', 'print(22*9/5+32)', 'enc-1']) {
    expect([before.includes(mark), after.includes(mark)]).toEqual([true, false]);
  }
});
