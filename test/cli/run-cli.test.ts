import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runCli } from '#cli/run-cli.ts';
import { openApi } from '#services/api/open-api.ts';
import { createWorld, type World } from '#test/world/create-world.ts';
import { openLiveWorker } from '#test/world/live-worker.ts';
import { scripted } from '#test/world/scripted.ts';

/** Runs a command as if at a terminal; each answer is typed when something is asked. */
async function atTerminal(url: string, args: string[], answers: (string | null)[] = []) {
  const typed = [...answers];
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let output = '';
  stdout.on('data', async (piece) => {
    output += piece;
    if (!String(piece).includes('[y/n]')) return;
    await nextTick();
    const answer = typed.shift() ?? null;
    if (answer === null) stdin.end();
    else stdin.write(`${answer}\n`);
  });
  const { signal } = new AbortController();
  const exitCode = await runCli(args, { env: { PAWL_URL: url }, stdin, stdout, stderr, signal });
  return { output, complaints: String(stderr.read() ?? ''), exitCode };
}

/** A turn that waits for a person to allow two calls. */
async function parkTurn(world: World): Promise<string> {
  const cities = ['Rome', 'Oslo'].map((city) => ({ name: 'send_postcard', arguments: { city } }));
  const description = 'Sends a postcard to a city, once';
  const tools = [{ name: 'send_postcard', description, approval: 'always' }];
  const { id } = await world.startTurn({ input: scripted({ rounds: [{ tools: cities }] }), tools });
  await world.workUntilIdle();
  return id;
}

test('whoever sits at the terminal is asked about each call until it is clear, and the turn goes on', async () => {
  await using world = await createWorld();
  const id = await parkTurn(world);
  await using _worker = await openLiveWorker(world);

  const { output, exitCode } = await atTerminal(world.url, ['watch', id], ['perhaps', 'y', 'N']);
  const again = await atTerminal(world.url, ['watch', id]);

  expect(exitCode).toBe(0);
  expect(output.match(/Allow send_postcard {"city":"Rome"}\? \[y\/n\]/g)).toHaveLength(2);
  expect(output).toMatch(/the turn is completed/);
  expect((await world.findTurn(id)).rounds[0]!.results).toMatchObject([
    { status: 'success', content: 'sent to Rome' },
    { status: 'error', error: { category: 'permission_denied' } },
  ]);
  expect(again).toMatchObject({ exitCode: 0, output: expect.not.stringContaining('Allow') });
});

test('who closes the terminal instead decides nothing', async () => {
  await using world = await createWorld();
  const id = await parkTurn(world);

  const { output, exitCode } = await atTerminal(world.url, ['watch', id], [null]);
  const asJson = await atTerminal(world.url, ['watch', id, '--json']);

  expect(exitCode).toBe(3);
  expect(output).toContain('? send_postcard {"city":"Oslo"} waits to be allowed\n');
  expect(asJson).toMatchObject({ exitCode: 3, output: expect.not.stringContaining('Allow') });
  expect((await world.findTurn(id)).status).toBe('requires_action');
});

test('while the server is away, the watching says so once, and when it is back', async () => {
  await using world = await createWorld();
  const { id } = await world.startTurn({ input: 'Hi' });
  const first = await openApi(world.parts, world.settings, world.log);
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();

  const watching = runCli(['watch', id, '--json'], { env: { PAWL_URL: first.url }, stdin, stdout, stderr, signal });
  await once(stdout, 'data');
  await first.close(0);
  const [away] = await once(stderr, 'data');
  const port = Number(new URL(first.url).port);
  const second = await openApi(world.parts, { ...world.settings, PORT: port }, world.log);
  const [back] = await once(stderr, 'data');
  await world.workUntilIdle();
  const exitCode = await watching;
  await second.close(0);

  expect(String(away)).toBe('The server is away; the turn is shown on as soon as it is back.\n');
  expect(String(back)).toBe('Connected again.\n');
  expect([exitCode, stderr.read()]).toEqual([0, null]);
});

test('help is help, and what is not a command says so', async () => {
  const say = (...args: string[]) => atTerminal('http://127.0.0.1:9', args);

  expect(await say('--help')).toMatchObject({ exitCode: 0, output: expect.stringMatching(/^Usage: npx pawl/) });
  expect(await say('run', '-h')).toMatchObject({ exitCode: 0, complaints: '' });
  const wrong: [string[], string][] = [
    [[], 'Say what to do.'],
    [['start'], 'There is no command “start”.'],
    [['run'], 'Say what the turn is about'],
    [['run', 'Hello', '--modle', 'x/y'], "Unknown option '--modle'."],
    [['watch'], 'Give the id of one turn: pawl watch turn_…'],
    [['cancel', 'conv_1'], 'Give the id of one turn'],
    [['turns', '--status', 'done'], 'There is no status “done”.'],
    [['turns', '--limit', '0'], 'The limit is a whole number from 1.'],
    [['turns', 'all'], '“turns” takes no “all”.'],
  ];
  for (const [args, sentence] of wrong) {
    const { complaints, exitCode } = await say(...args);
    expect(complaints).toContain(sentence);
    expect(complaints).toMatch(/ See: npx pawl --help\n$/);
    expect(exitCode).toBe(2);
  }
  expect(await atTerminal('8080', ['turns'])).toMatchObject({
    exitCode: 2,
    complaints: expect.stringContaining('PAWL_URL'),
  });
});
