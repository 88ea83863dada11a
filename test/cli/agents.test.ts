import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectPawl } from 'pawl/client';
import { expect } from 'vitest';
import { diffLines } from '#cli/agents/diff-lines.ts';
import { startBackgroundWorker } from '#test/harness/create-harness.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { takeAll } from '../client/take-all.ts';
import { openChat } from './open-chat.ts';
import { runPawl } from './run-pawl.ts';

const TIME = '20\\d\\d-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ';

test('agents are created, changed, listed, shown, compared and deleted', async ({ harness }) => {
  const agents = (...args: string[]) => runPawl(harness.url, ['agents', ...args]);

  const created = await agents('create', 'support', '--model', 'openai/test', '--instructions', 'You help.\nBe kind.');
  const changed = await agents('change', 'support', '--instructions', 'You help.\nBe brief.', '--model', 'sim/demo');
  const list = await agents();
  const [json] = (await agents('--json')).output.trim().split('\n');
  const first = await agents('show', 'support', '--version', '1');
  const versions = await agents('versions', 'support');
  const diff = await agents('diff', 'support', '1', '2');
  const deleted = await agents('delete', 'support');
  const missing = await agents('show', 'support');

  expect(created.complaints).toBe('');
  expect(created.output).toMatch(new RegExp(`^support@1  openai/test  ${TIME}\n$`));
  expect(changed.output).toMatch(/^support@2 {2}sim\/demo {2}/);
  expect(list.output).toBe(changed.output);
  expect(JSON.parse(json ?? '')).toMatchObject({ name: 'support', version: 2 });
  expect(first.output).toMatch(
    new RegExp(
      `^support@1  openai/test  ${TIME}\n  id: agent_\\w+\n  model: openai/test\n[^]*You help.\n    Be kind.\n$`,
    ),
  );
  expect(versions.output).toMatch(new RegExp(`^support@2  ${TIME}  sim/demo\nsupport@1  ${TIME}  openai/test\n$`));
  expect(diff.output).toContain('model: openai/test → sim/demo\n');
  expect(diff.output).toContain('instructions:\n  You help.\n- Be kind.\n+ Be brief.\n');
  expect(deleted.output).toBe('support was deleted.\n');
  expect(missing).toMatchObject({ exitCode: 1, complaints: expect.stringContaining('Agent "support" not found.') });
});

test('an agent is created from a file, and options replace its fields', async ({ harness }) => {
  await using folder = await newFolder('agents');
  const file = join(folder.path, 'support.json');
  await writeFile(file, JSON.stringify({ model: 'sim/demo', limits: { max_rounds: 3 } }));

  const args = ['agents', 'create', 'support', '--file', file, '--model', 'openai/test'];
  const created = await runPawl(harness.url, [...args, '--json']);

  expect(JSON.parse(created.output)).toMatchObject({
    config: { model: 'openai/test', limits: { max_rounds: 3 } },
  });
});

test('labels of an agent are set to a version or to weights, and deleted', async ({ harness }) => {
  const pawl = connectPawl({ baseUrl: harness.url });
  const agents = (...args: string[]) => runPawl(harness.url, ['agents', ...args]);
  await pawl.agents.create({ name: 'support', model: 'openai/test' });
  await pawl.agents.change('support', { instructions: 'Be brief.' });

  const moved = await agents('label', 'support', 'production', '2');
  const weighted = await agents('label', 'support', 'canary', '1=90', '2=10');
  const versions = await agents('versions', 'support');
  const removed = await agents('unlabel', 'support', 'canary');

  expect(moved.output).toMatch(/^support@2 {2}production=2 {2}/);
  expect(weighted.output).toContain('  canary=1:90,2:10  ');
  expect(versions.output).toMatch(/^support@2.*production.*\nsupport@1.* {2}canary:90\n$/);
  expect(removed.output).toBe('support@canary was deleted.\n');
  expect((await pawl.agents.get('support')).labels).toEqual({ production: { version: 2 } });
});

test('a turn runs with an agent and its variables, without a model', async ({ harness }) => {
  await using _ = await startBackgroundWorker(harness);
  const pawl = connectPawl({ baseUrl: harness.url });
  await pawl.agents.create({ name: 'support', model: 'openai/test', instructions: 'You help {{customer}}.' });
  await pawl.agents.setLabel('support', 'production', { version: 1 });
  const options = ['--agent', 'support@production', '--variable', 'customer=Ada'];

  const run = await runPawl(harness.url, ['run', ...options, 'Hi', '--json']);
  const planned = await runPawl(harness.url, ['schedules', 'create', '--every', '60', ...options, 'Hi', '--json']);
  const chat = openChat(harness.url, options);
  chat.say(scripted({ answer: 'Good morning.' }));
  await chat.sees('Good morning.');
  const { exitCode } = await chat.end();
  const [chatted] = await takeAll(pawl.conversations.list());
  const unnamed = await runPawl(harness.url, ['run', '--agent', 'support', 'Hi']);

  expect(run.exitCode).toBe(0);
  expect(JSON.stringify(harness.modelRequests.at(0))).toContain('You help Ada.');
  expect(JSON.parse(planned.output).turn).toMatchObject({
    agent: 'support@production',
    variables: { customer: 'Ada' },
  });
  expect(exitCode).toBe(0);
  expect(chatted).toMatchObject({ agent: 'support@production', model: null });
  expect(unnamed).toMatchObject({ exitCode: 1, complaints: expect.stringContaining('customer') });
});

test('the lines of two texts are compared', () => {
  const diff = (before: string[], after: string[]) => diffLines(before, after).map(({ mark, line }) => mark + line);

  expect(diff(['a', 'b', 'c', 'd'], ['a', 'x', 'y', 'd'])).toEqual([' a', '-b', '-c', '+x', '+y', ' d']);
  expect(diff([], ['a', 'b'])).toEqual(['+a', '+b']);
  expect(diff(['a', 'a'], ['a'])).toHaveLength(2);
  expect(diff([], [])).toEqual([]);
});
