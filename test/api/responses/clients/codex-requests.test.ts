import { expect, test } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { describeQueues } from '#test/harness/queues.ts';
import { scripted } from '#test/harness/scripted.ts';

// Codex CLI is no dependency: it is imitated by the shape of the requests that its version 0.169.0 sends for a model that it
// knows, and of what it reads in the stream.

type Item = Record<string, unknown> & { type: string };
type Event = {
  type: string;
  item?: Item;
  delta?: string;
  response?: { id: string; usage: object; error: object | null };
};

const thread = '01a206c3-8c7d-7fe0-aa98-aa905df52abf';
const headers = {
  ...{ accept: 'text/event-stream', 'content-type': 'application/json', authorization: 'Bearer none' },
  ...{ originator: 'codex_exec', 'user-agent': 'codex_exec/0.169.0 (Debian 12.0.0; x86_64) xterm' },
  ...{ 'session-id': thread, 'thread-id': thread, 'x-client-request-id': thread, 'x-codex-window-id': `${thread}:0` },
  ...{
    'x-codex-beta-features': 'remote_compaction_v2',
    'x-codex-turn-metadata': JSON.stringify({ thread_id: thread }),
  },
};

const parameters = (properties: object, required: string[]) => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});
const exec = {
  ...{ type: 'function', name: 'exec_command', description: 'Runs a command in a PTY.', strict: false },
  parameters: parameters({ cmd: { type: 'string' }, timeout_ms: { type: 'number' } }, ['cmd']),
};
const patch = {
  ...{ type: 'custom', name: 'apply_patch', description: 'Edits files. This is a freeform tool.' },
  format: { type: 'grammar', syntax: 'lark', definition: 'start: begin_patch hunk+ end_patch' },
};
const view = {
  ...{ type: 'function', name: 'view_image', description: 'Shows a file.', strict: false },
  parameters: parameters({ path: { type: 'string' } }, ['path']),
};
const spawn = {
  ...{ type: 'function', name: 'spawn_agent', description: 'Starts an agent.', strict: false },
  parameters: parameters({ message: { type: 'string' } }, ['message']),
};
const agents = { type: 'namespace', name: 'multi_agent_v1', description: 'Sub-agents.', tools: [spawn] };
const search = {
  ...{ type: 'tool_search', execution: 'client', description: 'Searches.' },
  parameters: parameters({ query: { type: 'string' } }, ['query']),
};
const web = { type: 'web_search', external_web_access: true };
const shell = { type: 'local_shell' };
const tools = [exec, patch, view, agents, search, web, shell];

const message = (role: string, text: string) => ({
  ...{ type: 'message', id: `msg_${thread}`, role },
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
const asks = (prompt: string) => [
  message('developer', 'You work in a terminal.'),
  message('user', '<environment_context>\n  <cwd>/repo</cwd>\n</environment_context>'),
  message('user', prompt),
];
const rounds = [
  {
    ...{ say: 'I patch it.', reasoning: 'A file is missing.' },
    tools: [
      { name: 'apply_patch', arguments: { input: '*** Begin Patch\n*** End Patch\n' } },
      { name: 'exec_command', arguments: { cmd: 'ls' } },
    ],
  },
];
const prompt = scripted({ rounds, answer: 'It is done.' });

const ignoring = { PAWL_UNSUPPORTED_TOOLS: 'ignore' };

function post({ url }: Harness, input: object[], body: object = {}): Promise<Response> {
  const asked = {
    ...{ model: 'gpt-5.5', stream: true, store: false, input, tools, tool_choice: 'auto', parallel_tool_calls: false },
    ...{ reasoning: { effort: 'medium', summary: 'auto' }, include: ['reasoning.encrypted_content'] },
    ...{ prompt_cache_key: thread, text: { verbosity: 'low' }, client_metadata: { session_id: thread } },
    stream_options: { reasoning_summary_delivery: 'sequential_cutoff' },
    ...body,
  };
  return fetch(`${url}/v1/responses`, { method: 'POST', headers, body: JSON.stringify(asked) });
}

async function eventsOf(answer: Response): Promise<Event[]> {
  const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice(6)));
}

/** What Codex keeps of a stream: the items that are done, which it sends again, with their ids, in each later request. */
const itemsOf = (events: Event[]) =>
  events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item!] : []));

const output = (call: Item, text: unknown) => ({
  ...{ type: `${call.type}_output`, id: `out_${call.call_id}`, call_id: call.call_id, output: text },
});
const lastSent = ({ modelRequests }: Harness) => modelRequests.at(-1)!.body.messages;

describeQueues(({ redis }) => {
  test('Codex works in steps: it keeps what was streamed and sends all of it again', async () => {
    await using harness = await createHarness({ redis, env: ignoring });
    await using _worker = await startBackgroundWorker(harness);

    const first = await post(harness, asks(prompt));
    const told = await eventsOf(first);
    const [thought, said, custom, call] = itemsOf(told);
    const results = [output(custom!, 'Success.'), output(call!, 'a.txt')];
    const second = await eventsOf(await post(harness, [...asks(prompt), ...itemsOf(told), ...results]));

    expect(first.headers.get('pawl-ignored-tools')).toBe('tool_search, web_search, local_shell');
    expect(told[0]).toMatchObject({ type: 'response.created', response: { id: expect.stringMatching(/^resp_/) } });
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

test('a call of a tool in a namespace names the namespace, which Codex needs', async () => {
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

test('an image as a result, phases of messages, and outputs that no call asked for are read', async () => {
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

test('without the operator’s leave, a tool that Pawl does not have is refused before the stream begins', async () => {
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

test('a structured answer is asked for by a schema, and a failure is told with its reason', async () => {
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
