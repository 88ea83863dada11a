import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { file, image, PDF, PNG, text, user } from '#test/api/blobs/samples.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { testWith } from '#test/harness/test.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { callItem, messageItem, reasoningItem, responseStream } from '#test/llm/responses-events.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { converse, long, summariesAsked } from '../compaction/converse.ts';

const OPENAI_WIRE = 'responses';
const look = (city: string) => ({ name: 'weather_lookup', arguments: { city } });
const sunny = (city: string) => `{"city":"${city}","temp":22,"condition":"sunny"}`;
const script = {
  rounds: [{ reasoning: 'Two cities.', say: 'Let me look.', tools: [look('Tokyo'), look('Kyoto')] }],
  answer: 'They say: {{results}}',
};
const answer = `They say: ${sunny('Tokyo')}\n${sunny('Kyoto')}`;

async function play(harness: Harness, request: Record<string, unknown>): Promise<TurnResource> {
  return harness.runTurn({ tools: ['weather_lookup', 'send_postcard'], ...request });
}

/** Expects that each request so far was sent over the wire and is valid. */
function expectValid({ modelRequests }: Harness): void {
  expect(new Set(modelRequests.map(({ path }) => path))).toEqual(new Set(['/v1/responses']));
  const problems = modelRequests.flatMap(({ sent }) => checkOpenaiResponses(sent, { reasons: () => true }));
  expect(problems).toEqual([]);
}

const test = testWith({ env: { OPENAI_WIRE } });

test.for([
  ['native', 'native', 2],
  ['emulated', 'json', 5],
  ['inline', 'inline', 2],
] as const)('a turn in the tool mode %s calls tools over Responses', async ([tool_mode, calls_as, requests]) => {
  await using harness = await createHarness({ env: { OPENAI_WIRE } });

  const turn = await play(harness, { input: scripted({ ...script, calls_as }), tool_mode, instructions: 'Be brief.' });

  expect(turn).toMatchObject({ status: 'completed', output: answer, usage: { llm_calls: requests, tool_calls: 2 } });
  expect(turn.warnings).toEqual(tool_mode === 'emulated' ? ['tool calls emulated'] : []);
  expectValid(harness);
});

test('a conversation changes from each tool mode to the next over Responses', async ({ harness }) => {
  const { conversation_id } = await play(harness, { input: scripted(script) });
  const go = async (tool_mode: string, calls_as: 'native' | 'json' | 'inline') => {
    const body = { input: scripted({ ...script, calls_as }), tool_mode };
    const started = await harness.call<TurnResource>('POST', `/v1/conversations/${conversation_id}/turns`, { body });
    await harness.workUntilIdle();
    return harness.findTurn(started.body.id);
  };

  const turns = [await go('inline', 'inline'), await go('emulated', 'json'), await go('native', 'native')];

  expect(turns.map(({ status, output }) => [status, output])).toEqual(Array(3).fill(['completed', answer]));
  expectValid(harness);
});

test('the reasoning of rounds is sent back unless a summary covers the rounds', async ({ harness }) => {
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
  const { say } = await converse(harness, context, { instructions: 'Be kind.' });
  const saying = (reasoning: string) =>
    scripted({ answer: long, final: { reasoning }, summary: { say: 'They greeted.' } });

  await say(saying('First.'));
  await say(saying('Second.'));
  const third = await say(saying('Third.'));

  expect(third).toMatchObject({ status: 'completed', compactions: [{ summary: 'They greeted.' }] });
  expect(summariesAsked(harness)).toHaveLength(1);
  expect(summariesAsked(harness)[0]!.sent).not.toHaveProperty('tools');
  const sealed = harness.modelRequests.map(({ sent }) => (JSON.stringify(sent).match(/"sim_/g) ?? []).length);
  const asked = summariesAsked(harness)[0]!;
  const at = harness.modelRequests.indexOf(asked);
  expect(sealed.slice(0, at)).toEqual([0, 1]);
  expect(sealed.slice(at + 1)).toEqual([1]);
  expectValid(harness);
});

test('the last round of a limit keeps its tools and forbids calls', async ({ harness }) => {
  const turn = await play(harness, { input: scripted({ ...script, answer: 'Enough.' }), limits: { max_rounds: 1 } });

  expect(turn).toMatchObject({ status: 'incomplete', output: 'Enough.' });
  const [first, last] = harness.modelRequests.map(({ sent }) => sent);
  expect(last!.tools).toEqual(first!.tools);
  expect([first!.tool_choice, last!.tool_choice]).toEqual([undefined, 'none']);
  expectValid(harness);
});

test('images and files are sent over Responses in the input and in tool results', async () => {
  await using server = await startWireServer();
  const PAWL_TOOLS = new URL('../../api/blobs/picture-tools.ts', import.meta.url).pathname;
  await using harness = await createHarness({ env: { OPENAI_WIRE, PAWL_TOOLS, OPENAI_BASE_URL: server.origin } });
  const call = callItem({ id: 'call_1', name: 'take_picture', arguments: ['{}'] });
  server.answer({ body: responseStream([reasoningItem([]), call]) });
  server.answerNext({ body: responseStream([messageItem(['A pixel.'])]) });
  const remote = [
    { type: 'input_image', image_url: 'https://example.com/cat.png', detail: 'low' },
    { type: 'input_file', file_url: 'https://example.com/offer.pdf' },
  ];

  const turn = await play(harness, {
    ...{ model: 'openai/gpt-6', tools: ['take_picture'] },
    input: user(text('What is it?'), image(PNG), { ...file(PDF), filename: 'a.pdf' }, ...remote),
  });

  expect(turn).toMatchObject({ status: 'completed', output: 'A pixel.' });
  const [first, second] = server.asked.map(({ body }) => body);
  for (const body of [first, second]) expect(checkOpenaiResponses(body!)).toEqual([]);
  const png = `data:image/png;base64,${PNG}`;
  const pdf = `data:application/pdf;base64,${PDF}`;
  expect(first!.input).toMatchObject([
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'What is it?' },
        { type: 'input_image', image_url: png },
        { type: 'input_file', file_data: pdf, filename: 'a.pdf' },
        ...remote,
      ],
    },
  ]);
  expect((second!.input as object[]).at(-1)).toMatchObject({
    ...{ type: 'function_call_output', call_id: 'call_1' },
    output: [
      { type: 'input_text', text: 'As it is now:' },
      { type: 'input_image', image_url: png },
      { type: 'input_file', file_data: pdf, filename: 'about.pdf' },
    ],
  });
});

test('a server may use the same call ids in each response', async () => {
  await using server = await startWireServer();
  await using harness = await createHarness({ env: { OPENAI_WIRE, OPENAI_BASE_URL: server.origin } });
  const asking = (city: string) => {
    const call = callItem({ id: 'call_0', name: 'weather_lookup', arguments: [JSON.stringify({ city })] });
    return { body: responseStream([reasoningItem([]), call]) };
  };
  const saying = { body: responseStream([messageItem(['Sunny.'])]) };
  server.answer(asking('Tokyo'));
  server.answerNext(asking('Kyoto'), saying, asking('Osaka'), asking('Nara'), saying);

  const request = { model: 'openai/gpt-6', input: 'How is it?', tools: ['weather_lookup'] };
  const { conversation_id } = await play(harness, request);
  await harness.call('POST', `/v1/conversations/${conversation_id}/turns`, { body: request });
  await harness.workUntilIdle();

  const last = server.asked.at(-1)!.body;
  expect(server.asked).toHaveLength(6);
  expect(server.asked.flatMap(({ body }) => checkOpenaiResponses(body))).toEqual([]);
  const items = last.input as { type: string; call_id?: string; output?: string }[];
  for (const { body } of server.asked) {
    const earlier = body.input as object[];
    expect(items.slice(0, earlier.length)).toEqual(earlier);
  }
  const idsOf = (wanted: string) => items.flatMap(({ type, call_id }) => (type === wanted ? [call_id] : []));
  expect(new Set(idsOf('function_call')).size).toBe(4);
  expect(idsOf('function_call_output')).toEqual(idsOf('function_call'));
  expect(items.flatMap(({ output }) => output ?? [])).toEqual(['Tokyo', 'Kyoto', 'Osaka', 'Nara'].map(sunny));
});

test('another model of the provider without reasoning is asked again without it', async () => {
  await using server = await startWireServer();
  await using harness = await createHarness({ env: { OPENAI_WIRE, OPENAI_BASE_URL: server.origin } });
  const message =
    'Reasoning input items can only be provided to a reasoning or computer use model. Remove reasoning items from your input and try again.';
  const refusal = { message, type: 'invalid_request_error', param: 'input', code: null };
  const saying = { body: responseStream([messageItem(['Hi.'])]) };
  server.answer({ body: responseStream([reasoningItem([]), messageItem(['Hello.'])]) });
  server.answerNext({ status: 400, body: [JSON.stringify({ error: refusal })] }, saying);
  const { conversation_id } = await play(harness, { model: 'openai/gpt-6', input: 'Hi' });
  const change = async () => {
    const body = { model: 'openai/gpt-4.1', input: 'And?' };
    const started = await harness.call<TurnResource>('POST', `/v1/conversations/${conversation_id}/turns`, { body });
    await harness.workUntilIdle();
    return harness.findTurn(started.body.id);
  };

  const turns = [await change(), await change()];

  const warnings = ['provider state was refused and left out'];
  expect(turns).toMatchObject([
    { status: 'completed', output: 'Hi.', round: 1, warnings },
    { status: 'completed', output: 'Hi.', warnings: [] },
  ]);
  const sealed = server.asked.map(({ body }) => JSON.stringify(body.input).includes('SEALED'));
  expect(sealed).toEqual([false, true, false, false]);
});
