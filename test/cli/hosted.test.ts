import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import type { Annotation, HostedCall } from '#core/turn/hosted/hosted.ts';
import { addHosted } from '#test/harness/add-hosted.ts';
import { scripted } from '#test/harness/scripted.ts';
import { type AddedEvent, openLiveProxy } from '#test/harness/servers/live-proxy.ts';
import { test, testWith } from '#test/harness/test.ts';
import { atTerminal } from './at-terminal.ts';
import { openChat } from './open-chat.ts';

const testResponses = testWith({ env: { OPENAI_WIRE: 'responses' } });
const model = ['--model', 'openai/test'];
const asked = scripted({ answer: 'It is warm in Lisbon.' });

const nothing = { output: null, error: null, offset: 0 };
const search = {
  ...nothing,
  id: 'ws_1',
  type: 'web_search' as const,
  input: { type: 'search', query: 'weather in\nLisbon' },
};
const started: HostedCall = { ...search, status: 'in_progress' };
const completed: HostedCall = { ...search, status: 'completed' };
const code = { ...nothing, id: 'ce_1', type: 'code_execution' as const, input: null };
const failed: HostedCall = { ...code, status: 'failed', error: 'The code\n\u001b[2Jstopped.' };
const shownCalls = [
  'web_search {"type":"search","query":"weather in\\nLisbon"}  ✓',
  'code_execution  ✗ The code \\u{1b}[2Jstopped.',
];
const live: AddedEvent[] = [
  { type: 'hosted_call.started', hosted_call: started },
  { type: 'hosted_call.started', hosted_call: started },
  { type: 'hosted_call.completed', hosted_call: completed },
  { type: 'hosted_call.completed', hosted_call: failed },
];

const place = { start_index: 0, end_index: 2 };
const annotations: Annotation[] = [
  { type: 'url_citation', url: 'https://lisbon.example/now', title: 'Weather\u001b[2J\n✓ checkpoint', ...place },
  { type: 'url_citation', url: 'https://lisbon.example/now', title: 'The same page', ...place },
  { type: 'url_citation', url: 'https://bare.example/', ...place },
  { type: 'file_citation', file_id: 'file_1', title: 'notes.txt', ...place },
];
const sources = [
  '1. Weather\\u{1b}[2J ✓ checkpoint  https://lisbon.example/now',
  '2. https://bare.example/',
  '3. notes.txt  file_1',
];

testResponses('run sends each hosted tool, with its options and beside other tools', async ({ harness, worker: _ }) => {
  const hosted = ['--hosted', 'web_search', '--hosted', 'file_search={"vector_store_ids":["vs_1"]}'];

  const { output } = await atTerminal(harness.url, ['run', asked, ...model, '--tools', 'weather_lookup', ...hosted]);

  const { body } = await harness.call('GET', `/v1/turns/${/turn_\w+/.exec(output)?.[0]}?include=config`);
  expect(body).toMatchObject({
    config: {
      tools: [
        { name: 'weather_lookup' },
        { type: 'web_search' },
        { type: 'file_search', options: { vector_store_ids: ['vs_1'] } },
      ],
    },
  });
});

test('run shows the refusal of a hosted tool that the wire does not have', async ({ harness }) => {
  const { complaints, exitCode } = await atTerminal(harness.url, ['run', 'Hi', ...model, '--hosted', 'web_search']);

  expect(complaints).toContain('The hosted tool web_search is not supported by openai over Chat Completions.');
  expect(exitCode).toBe(1);
});

test.each([
  [['web_serch'], 'Use web_search, web_fetch, code_execution, file_search, image_generation.'],
  [['toString'], 'Use web_search,'],
  [['web_search', 'web_search={}'], 'Give each tool of the provider once.'],
  [['file_search=vs_1'], 'Write the options as a JSON object: file_search={"name":"value"}.'],
  [['file_search=[]'], 'Write the options as a JSON object'],
])('run refuses the hosted tools %j before a request', async (tools, sentence) => {
  const hosted = tools.flatMap((tool) => ['--hosted', tool]);

  const { complaints, exitCode } = await atTerminal('http://127.0.0.1:1', ['run', 'Hi', ...hosted]);

  expect(complaints).toContain(sentence);
  expect(exitCode).toBe(2);
});

test('run shows hosted calls once, and numbers the sources of the answer', async ({ harness, worker: _ }) => {
  addHosted(harness, { calls: [completed, failed], annotations });
  await using proxy = await openLiveProxy(harness.url, live);

  const { output, exitCode } = await atTerminal(proxy.url, ['run', asked, ...model]);

  expect(exitCode).toBe(0);
  expect(plainLines(output)).toEqual([
    ...[expect.stringMatching(/^turn_/), '', 'round 1 · a worker asks the model'],
    ...['▸ web_search        weather in Lisbon at the provider', '✓ web_search        weather in Lisbon'],
    '✗ code_execution                  The code \\u{1b}[2Jstopped.',
    ...['│ It is warm in Lisbon.', '✓ checkpoint r1 · the turn is completed', 'sources', ...sources],
  ]);
});

test('watch shows the hosted calls and sources of an ended turn', async ({ harness }) => {
  addHosted(harness, { calls: [completed, failed], annotations });
  const { id } = await harness.runTurn({ input: asked });

  const { output } = await atTerminal(harness.url, ['watch', id]);

  expect(plainLines(output).slice(-8)).toEqual([
    ...['✓ checkpoint r1 · the turn is completed', 'calls of the provider'],
    ...['✓ web_search        weather in Lisbon', '✗ code_execution                  The code \\u{1b}[2Jstopped.'],
    ...['sources', ...sources],
  ]);
});

test('run shows no sources after an answer without citations', async ({ harness, worker: _ }) => {
  const { output } = await atTerminal(harness.url, ['run', asked, ...model]);

  expect(output).toContain('the turn is completed');
  expect(output).not.toContain('sources');
});

test('chat shows hosted calls once, and numbers the sources of the answer', async ({ harness, worker: _ }) => {
  addHosted(harness, { annotations });
  await using proxy = await openLiveProxy(harness.url, live);

  const chat = openChat(proxy.url);
  chat.say(asked);
  await chat.sees('3. notes.txt');
  const { exitCode, lines } = await chat.end();

  expect(exitCode).toBe(0);
  expect(lines.slice(3)).toEqual([
    ...[...shownCalls, 'It is warm in Lisbon.', ...sources, ''],
    expect.stringMatching(/^To continue: pawl chat conv_/),
  ]);
});

test('a resumed chat shows the hosted calls of rounds with tool calls', async ({ harness }) => {
  addHosted(harness, { calls: [completed, failed] });
  const tools = [{ name: 'weather_lookup', arguments: { city: 'Rome' } }];
  const input = scripted({ rounds: [{ say: 'Let me look.', tools }], answer: 'It is sunny.' });
  const { conversation_id: id } = await harness.runTurn({ input, tools: ['weather_lookup'] });

  const { lines } = await openChat(harness.url, [id]).end();

  const tool = expect.stringMatching(/^weather_lookup {"city":"Rome"} {2}✓/);
  expect(lines.slice(-6, -1)).toEqual([...shownCalls, 'Let me look.', tool, 'It is sunny.']);
});

/** Returns the lines without colours, and without the margin. */
function plainLines(output: string): string[] {
  return output
    .trimEnd()
    .split('\n')
    .map((line) => stripVTControlCharacters(line).slice(8).trimEnd());
}
