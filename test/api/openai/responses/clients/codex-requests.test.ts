import { expect, test } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueue } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';
import {
  agents,
  asks,
  bodyOf,
  type Event,
  exec,
  headers,
  ignoring,
  itemsOf,
  message,
  output,
  parameters,
  patch,
  prompt,
  view,
} from './codex-shapes.ts';

const post = ({ url }: Harness, input: object[], body: object = {}) =>
  fetch(`${url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify(bodyOf(input, body)) });

async function eventsOf(answer: Response): Promise<Event[]> {
  const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice(6)));
}

const lastSent = ({ modelRequests }: Harness) => modelRequests.at(-1)!.body.messages;

describeQueue(({ redis }) => {
  test('Codex works in steps, and sends all streamed items again', async () => {
    await using harness = await createHarness({ redis, env: ignoring });
    await using _worker = await startBackgroundWorker(harness);

    const first = await post(harness, asks(prompt));
    const received = await eventsOf(first);
    const [thought, said, custom, call] = itemsOf(received);
    const results = [output(custom!, 'Success.'), output(call!, 'a.txt')];
    const second = await eventsOf(await post(harness, [...asks(prompt), ...itemsOf(received), ...results]));

    expect(first.headers.get('pawl-ignored-tools')).toBe('tool_search, web_search, local_shell');
    expect(received[0]).toMatchObject({ type: 'response.created', response: { id: expect.stringMatching(/^resp_/) } });
    expect(thought).toMatchObject({
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'A file is missing.' }],
    });
    expect(said).toMatchObject({ role: 'assistant', content: [{ type: 'output_text', text: 'I patch it.' }] });
    expect(custom).toMatchObject({ type: 'custom_tool_call', input: '*** Begin Patch\n*** End Patch\n' });
    expect(call).toMatchObject({ type: 'function_call', arguments: '{"cmd":"ls"}' });
    expect(second.at(-1)).toMatchObject({
      type: 'response.completed',
      response: {
        usage: {
          ...{ input_tokens: expect.any(Number), input_tokens_details: { cached_tokens: expect.any(Number) } },
          ...{ output_tokens: expect.any(Number), output_tokens_details: { reasoning_tokens: expect.any(Number) } },
          total_tokens: expect.any(Number),
        },
      },
    });
    expect(itemsOf(second)).toMatchObject([
      { type: 'reasoning', summary: [], encrypted_content: expect.any(String) },
      { type: 'message', content: [{ text: 'It is done.' }] },
    ]);
    expect(lastSent(harness)).toMatchObject([
      { role: 'system', content: 'You work in a terminal.' },
      { role: 'user' },
      { role: 'user', content: prompt },
      { role: 'assistant', content: 'I patch it.', tool_calls: [{}, {}] },
      { role: 'tool', content: 'Success.' },
      { role: 'tool', content: 'a.txt' },
    ]);
  });
});

test('a call of a namespaced tool names the namespace for Codex', async () => {
  await using harness = await createHarness({ env: ignoring });
  await using _worker = await startBackgroundWorker(harness);
  const call = (name: string) => ({ name, arguments: { message: 'Look.' } });
  const calls = [call('spawn_agent'), call('mcp__crew__spawn_agent')];
  const asked = asks(scripted({ rounds: [{ say: 'I ask.', tools: calls }], answer: 'Done.' }));
  const offered = [exec, patch, view, agents, { ...agents, name: 'mcp__crew' }];

  const events = await eventsOf(await post(harness, asked, { tools: offered }));
  const spawned = itemsOf(events).slice(2);
  const results = spawned.map((item) => output(item, 'Started.'));
  const next = await eventsOf(await post(harness, [...asked, ...itemsOf(events), ...results]));

  const names = ['exec_command', 'apply_patch', 'view_image', 'spawn_agent', 'mcp__crew__spawn_agent'];
  expect(harness.modelRequests[0]!.body.tools).toMatchObject(names.map((name) => ({ function: { name } })));
  expect(spawned).toMatchObject([
    { type: 'function_call', name: 'spawn_agent', namespace: 'multi_agent_v1' },
    { type: 'function_call', name: 'spawn_agent', namespace: 'mcp__crew' },
  ]);
  expect(events.find(({ type }) => type === 'response.created')?.response).toMatchObject({ tools: offered });
  expect(next.at(-1)?.type).toBe('response.completed');
  expect(lastSent(harness).at(-1)).toMatchObject({ role: 'tool', content: 'Started.' });
});

test('images in results, message phases and outputs without a call are accepted', async () => {
  await using harness = await createHarness({ env: ignoring });
  await using _worker = await startBackgroundWorker(harness);
  const call = {
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'view_image',
    arguments: '{"path":"a.png"}',
  };
  const image = { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'original' };
  const goal = {
    type: 'function_call_output',
    id: 'fco_2',
    name: 'goal_objective',
    namespace: 'agent',
    output: 'Ship.',
  };
  const earlier = [
    { ...message('assistant', 'I look.'), phase: 'commentary', internal_chat_message_metadata_passthrough: {} },
    { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: null },
    ...[call, goal, output(call, [image])],
    { ...message('assistant', 'A cat.'), phase: 'final_answer' },
  ];

  const events = await eventsOf(await post(harness, [...asks('What is this?'), ...earlier, ...asks('And now?')]));

  expect(events.at(-1)?.type).toBe('response.completed');
  const sent = JSON.stringify(lastSent(harness));
  expect(sent).toContain('data:image/png;base64,iVBORw0KGgo=');
  expect(sent).toContain('Output of agent.goal_objective');
});

test('an unknown tool is refused before the stream unless the operator allows it', async () => {
  await using harness = await createHarness();
  const answer = await post(harness, asks('Hello'));

  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error: {
      ...{ code: 'unsupported_tool', param: 'tools[4].type' },
      message: expect.stringContaining('PAWL_UNSUPPORTED_TOOLS=ignore'),
    },
  });
});

test('Codex gets a structured answer by its schema, and the reason of a failure', async () => {
  await using harness = await createHarness({ env: ignoring });
  await using _worker = await startBackgroundWorker(harness);
  const schema = parameters({ title: { type: 'string' } }, ['title']);
  const format = { type: 'json_schema', strict: true, name: 'codex_output_schema', schema };

  const text = { text: { verbosity: 'low', format } };
  const answered = await eventsOf(await post(harness, asks(scripted({ answer: '{"title":"A"}' })), text));
  const fault = { kind: 'status' as const, status: 400 };
  const failed = await eventsOf(await post(harness, asks(scripted({ answer: 'Never.', final: { fault } }))));

  expect(answered.flatMap(({ type, delta }) => (type === 'response.output_text.delta' ? [delta] : [])).join('')).toBe(
    '{"title":"A"}',
  );
  expect(harness.modelRequests[0]!.body.response_format).toMatchObject({
    json_schema: { name: 'codex_output_schema' },
  });
  expect(failed.at(-1)).toMatchObject({ type: 'response.failed', response: { error: { code: 'invalid_prompt' } } });
});
