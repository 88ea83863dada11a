import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectPawl, type TurnEvent } from 'pawl/client';
import { expect } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { newFolder } from '#test/harness/new-folder.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openHeldModel } from '#test/harness/servers/held-model.ts';
import { test } from '#test/harness/test.ts';
import { startWireServer } from '#test/llm/wire-server.ts';
import { runPawl } from './run-pawl.ts';

const model = ['--model', 'openai/test'];
const weather = scripted({
  rounds: [{ say: 'Let me look.', tools: [{ name: 'weather_lookup', arguments: { city: 'Rome' } }] }],
  answer: 'It is sunny in Rome.',
});
const refused = scripted({ final: { fault: { kind: 'status', status: 400 } } });

test('run shows a turn round by round, and its answer', async ({ harness, worker: _ }) => {
  const isShown = Promise.withResolvers<void>();
  holdTools(harness, isShown.promise);

  const { output, complaints, exitCode } = await runPawl(
    harness.url,
    ['run', weather, ...model, '--tools', 'weather_lookup', '--instructions', 'Be brief.'],
    { onOutput: (seen) => void (seen.includes('▸ weather_lookup') && isShown.resolve()) },
  );

  expect({ complaints, exitCode }).toEqual({ complaints: '', exitCode: 0 });
  const lines = output.split('\n').map((line) => line.slice(8).trimEnd());
  expect(lines, output).toEqual([
    ...[expect.stringMatching(/^turn_/), '', 'round 1 · a worker asks the model', '│ Let me look.'],
    ...['✓ checkpoint r1 · 1 tool call requested', 'tools · a worker runs the call'],
    ...['▸ weather_lookup    Rome          Checking the weather…'],
    ...[expect.stringMatching(/^✓ weather_lookup {4}Rome {10}\d\.\d\d s$/), '✓ checkpoint b1'],
    ...['', 'round 2 · a worker asks the model', '│ It is sunny in Rome.'],
    ...['✓ checkpoint r2 · the turn is completed', ''],
  ]);
  expect(harness.modelRequests[0]?.body).toMatchObject({ messages: [{ content: 'Be brief.' }, {}] });
});

/** Delays tools until the promise resolves. The result of a fast tool may overtake the preview of its call. */
function holdTools({ worker }: Harness, until: Promise<void>): void {
  const { tools } = worker;
  worker.tools = {
    ...tools,
    find: (name) => {
      const tool = tools.find(name);
      return tool && { ...tool, run: (args, context) => until.then(() => tool.run(args, context)) };
    },
  };
}

test('run continues a conversation with its model', async ({ harness, worker: _ }) => {
  const pawl = connectPawl({ baseUrl: harness.url });
  const { id } = await pawl.conversations.create({ model: 'openai/test' });

  const { exitCode } = await runPawl(harness.url, ['run', 'Say', 'hello.', '--conversation', id]);

  expect(exitCode).toBe(0);
  expect(await pawl.conversations.attach(id).messages()).toMatchObject([{ content: 'Say hello.' }, {}]);
});

test('watch shows an ended turn from its beginning, and prints JSON lines with --json', async ({ harness }) => {
  const { id } = await harness.runTurn({ input: weather, tools: ['weather_lookup'] });

  const shown = await runPawl(harness.url, ['watch', id]);
  const asJson = await runPawl(harness.url, ['watch', id, '--json']);

  expect(shown.exitCode).toBe(0);
  expect(shown.output).toMatch(/│ Let me look\.[\s\S]*✓ weather_lookup[\s\S]*│ It is sunny in Rome\./);
  const events: TurnEvent[] = asJson.output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(events.flatMap((event) => ('sequence_number' in event ? [event.sequence_number] : []))).toEqual([
    1, 2, 3, 4, 5, 6,
  ]);
});

test('Ctrl-C leaves a turn, which continues', async () => {
  await using held = await openHeldModel(1);
  await using harness = await createHarness({ env: { OPENAI_BASE_URL: held.baseUrl } });
  await using _worker = await startBackgroundWorker(harness);
  const input = scripted({ answer: 'One word after the other, for a while.', piece_chars: 4 });

  const { output, complaints, exitCode } = await runPawl(harness.url, ['run', input, ...model], { interruptAt: 'One' });

  held.goOn();
  const [id = ''] = /turn_\w+/.exec(output) ?? [];
  expect(exitCode).toBe(130);
  expect(complaints).toContain(`The turn continues. To watch it again: pawl watch ${id}`);
  expect(await connectPawl({ baseUrl: harness.url }).turns.attach(id).result()).toMatchObject({ status: 'completed' });
});

test('run shows a change to another model, with the reason', async () => {
  await using first = await startWireServer();
  first.answer({ status: 401 });
  const providers = { away: { kind: 'openai', base_url: first.origin } };
  await using harness = await createHarness({ env: { PAWL_PROVIDERS: JSON.stringify(providers) } });
  await using _worker = await startBackgroundWorker(harness);

  const { output, exitCode } = await runPawl(harness.url, [
    ...['run', 'Hi', '--model', 'away/model', '--fallback', 'openai/test, sim/demo'],
  ]);

  expect(output).toMatch(/! round 1 changes from away\/model to openai\/test:\s+provider_authentication_failed/);
  expect(exitCode).toBe(0);
});

test('run shows why a turn failed and how to continue, and retry continues it', async ({ harness, worker: _ }) => {
  const first = await runPawl(harness.url, ['run', refused, ...model]);
  const [id = ''] = /turn_\w+/.exec(first.output) ?? [];
  const again = await runPawl(harness.url, ['retry', id]);

  expect(first.exitCode).toBe(1);
  expect(first.output).toContain('✗ turn failed: openai refused the request (400).');
  expect(first.complaints).toBe(`To continue from its last checkpoint: pawl retry ${id}\n`);
  expect(again.exitCode).toBe(1);
  expect(again.output).toMatch(/the turn continues\n[\s\S]*✗ turn failed/);
  expect(again.output.match(/turn failed/g)).toHaveLength(1);
});

test('run shows that a turn waits for its client, and has its own exit code', async ({ harness }) => {
  const tools = [{ name: 'locate_user', description: 'Asks the device where the user is' }];
  const input = scripted({ rounds: [{ tools: [{ name: 'locate_user', id: 'call_1' }] }] });
  const { id } = await harness.runTurn({ input, tools });

  const { output, exitCode } = await runPawl(harness.url, ['watch', id]);

  expect(exitCode).toBe(3);
  expect(output).toContain('? locate_user {} waits for its output, call_1\n');
  expect(output).toContain(`Send output to /v1/turns/${id}/tool_outputs.\n`);
});

test('turns lists the newest first, by status if named, and cancel cancels a turn', async ({ harness }) => {
  const first = await harness.startTurn({ input: 'The first one.' });
  const second = await harness.startTurn({ input: `The second\n  one. ${'And so on. '.repeat(9)}` });

  const cancelled = await runPawl(harness.url, ['cancel', first.id]);
  const all = await runPawl(harness.url, ['turns']);
  const one = await runPawl(harness.url, ['turns', '--limit', '1']);
  const queued = await runPawl(harness.url, ['turns', '--status', 'queued', '--json']);

  expect(cancelled).toEqual({ output: `${first.id} was cancelled.\n`, complaints: '', exitCode: 0 });
  const [top = '', below] = all.output.split('\n');
  expect(top).toMatch(
    new RegExp(`^${second.id}  queued {10}\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\dZ  The second one\\. .*…$`),
  );
  expect(below).toMatch(new RegExp(`^${first.id}  cancelled .*  The first one\\.$`));
  expect(one.output).toBe(`${top}\n`);
  expect(JSON.parse(queued.output)).toMatchObject({ id: second.id, status: 'queued' });
});

test('a refusal of the API is shown in its own words', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'mine:secret' } });
  await using open = await createHarness();

  expect(await runPawl(open.url, ['watch', 'turn_none'])).toMatchObject({
    ...{ complaints: 'Turn not found. Check its id, and that the API key belongs to its project.\n', exitCode: 1 },
  });
  expect(await runPawl(harness.url, ['turns'])).toMatchObject({
    ...{ complaints: 'The API requires a key. Set PAWL_API_KEY to a key of its PAWL_API_KEYS.\n', exitCode: 1 },
  });
});

test('a key without the required scope is refused in a sentence', async () => {
  const keys = [{ key: 'key-that-reads', scopes: ['read'] }];
  await using harness = await createHarness({ env: { PAWL_PROJECTS: JSON.stringify({ web: { keys } }) } });

  const refused = await runPawl(harness.url, ['run', 'Hello'], { apiKey: 'key-that-reads' });

  expect(refused).toMatchObject({
    complaints:
      'The key in PAWL_API_KEY has no permission. This request requires a key with the scope write. Use another key, or ask the operator.\n',
    exitCode: 1,
  });
});

test('a command without a server says how to start Pawl', async () => {
  const { complaints, exitCode } = await runPawl('http://127.0.0.1:9', ['run', 'Hello']);

  expect(complaints).toBe(
    'Pawl does not answer at http://127.0.0.1:9. Start Pawl with “npm start”, or set PAWL_URL to its address.\n',
  );
  expect(exitCode).toBe(1);
});

test('control characters from a model or caller are shown as escapes', async ({ harness, worker: _ }) => {
  const call = { name: 'weather_lookup', arguments: { city: 'Ro\u001b]0;x\u0007me\u202e' } };
  const input = scripted({ rounds: [{ say: 'Look \u001b[2J', tools: [call] }], answer: 'Done\u009b2K' });

  const { output } = await runPawl(harness.url, ['run', input, ...model, '--tools', 'weather_lookup']);
  await harness.startTurn({ input: 'line \u001b[31mred' });
  const listed = await runPawl(harness.url, ['turns', '--limit', '1']);

  for (const text of [output, listed.output]) expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\u202e]/u);
  expect(output).toContain('Look \\u{1b}[2J');
  expect(listed.output).toContain('line \\u{1b}[31mred');
});

test('a key that no header can carry is not reported as an unreachable server', async () => {
  const { complaints, exitCode } = await runPawl('http://127.0.0.1:1', ['turns'], { apiKey: 'alpha–key' });

  expect({ complaints, exitCode }).toMatchObject({ complaints: expect.stringContaining('PAWL_API_KEY'), exitCode: 2 });
});

test('--schema requests an answer by a file, and a repair is shown live', async ({ harness, worker: _ }) => {
  await using folder = await newFolder('schema');
  const schema = { title: 'A place', type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  await writeFile(join(folder.path, 'place.json'), JSON.stringify(schema));
  await writeFile(join(folder.path, 'text.json'), '"no schema"');
  const input = scripted({ answer: '{}', repairs: [{ say: '{"city":"Lisbon"}' }] });
  const run = (file: string) => runPawl(harness.url, ['run', input, ...model, '--schema', join(folder.path, file)]);

  const { output, exitCode } = await run('place.json');

  expect(exitCode).toBe(0);
  expect(output).toMatch(
    /r1.* · the answer is not final, so the turn continues[\s\S]*Lisbon[\s\S]*the turn is completed/,
  );
  expect(harness.modelRequests[0]!.body.response_format).toMatchObject({ json_schema: { name: 'A_place' } });
  expect(await run('none.json')).toMatchObject({ exitCode: 2, complaints: expect.stringContaining('cannot be read') });
  expect(await run('text.json')).toMatchObject({ exitCode: 2, complaints: expect.stringContaining('no JSON object') });
});
