import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { runCli } from '#cli/run-cli.ts';
import { textWidth } from '#cli/wrap-text.ts';
import { startApi } from '#services/api/start-api.ts';
import { type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { test } from '#test/harness/test.ts';
import { atTerminal } from './at-terminal.ts';

/** Starts a turn that waits for a person to allow two calls. */
async function parkTurn(harness: Harness): Promise<string> {
  const cities = ['Rome', 'Oslo'].map((city) => ({ name: 'send_postcard', arguments: { city } }));
  const description = 'Sends a postcard to a city, once';
  const tools = [{ name: 'send_postcard', description, approval: 'always' }];
  const { id } = await harness.runTurn({ input: scripted({ rounds: [{ tools: cities }] }), tools });
  return id;
}

test('the terminal asks about each call until the answer is clear', async ({ harness }) => {
  const id = await parkTurn(harness);
  await using _worker = await startBackgroundWorker(harness);

  const { output, exitCode } = await atTerminal(harness.url, ['watch', id], ['perhaps', 'y', 'N']);
  const again = await atTerminal(harness.url, ['watch', id]);

  expect(exitCode).toBe(0);
  expect(output.match(/Allow send_postcard {"city":"Rome"}\? \[y\/n\]/g)).toHaveLength(2);
  expect(output).toMatch(/the turn is completed/);
  expect((await harness.findTurn(id)).rounds[0]!.results).toMatchObject([
    { status: 'success', content: 'sent to Rome' },
    { status: 'error', error: { category: 'permission_denied' } },
  ]);
  expect(again).toMatchObject({ exitCode: 0, output: expect.not.stringContaining('Allow') });
});

test('a line reports a compacted history, with the tokens before and after', async ({ harness }) => {
  const rounds = ['one', 'two'].map((id) => ({
    ...{ say: 'Look. '.repeat(50), tools: [{ name: 'weather_lookup', arguments: { city: 'Oslo' }, id }] },
    usage: { prompt_tokens: 5_000, completion_tokens: 90 },
  }));
  const context = { strategy: 'summarize', max_input_tokens: 1_000, keep_last_rounds: 1 };
  const { id } = await harness.runTurn({ input: scripted({ rounds }), tools: ['weather_lookup'], context });

  const { output } = await atTerminal(harness.url, ['watch', id]);

  expect(stripVTControlCharacters(output)).toMatch(/✓ checkpoint r3 · history compacted, \d+ tokens to \d+/);
});

test('a closed terminal decides no call', async ({ harness }) => {
  const id = await parkTurn(harness);

  const { output, exitCode } = await atTerminal(harness.url, ['watch', id], [null]);
  const asJson = await atTerminal(harness.url, ['watch', id, '--json']);

  expect(exitCode).toBe(3);
  expect(output).toContain('? send_postcard {"city":"Oslo"} waits for approval\n');
  expect(asJson).toMatchObject({ exitCode: 3, output: expect.not.stringContaining('Allow') });
  expect((await harness.findTurn(id)).status).toBe('requires_action');
});

test('watch reports an outage of the server once, and its return', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });
  const first = await startApi(harness.parts, harness.settings, harness.log);
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();

  const watching = runCli(['watch', id, '--json'], { env: { PAWL_URL: first.url }, stdin, stdout, stderr, signal });
  await once(stdout, 'data');
  await first.close(0);
  const [away] = await once(stderr, 'data');
  const port = Number(new URL(first.url).port);
  const second = await startApi(harness.parts, { ...harness.settings, PORT: port }, harness.log);
  const [back] = await once(stderr, 'data');
  await harness.workUntilIdle();
  const exitCode = await watching;
  await second.close(0);

  expect(String(away)).toBe('The server is away. The events continue when it is back.\n');
  expect(String(back)).toBe('Connected again.\n');
  expect([exitCode, stderr.read()]).toEqual([0, null]);
});

test('PAWL_URL without a scheme is http, and an empty PAWL_URL is the default', async ({ harness }) => {
  const { id } = await harness.startTurn({ input: 'Hi' });

  for (const url of [
    harness.url.replace('http://', ''),
    `${harness.url.replace('http://127.0.0.1', ' localhost')}/ `,
  ]) {
    expect(await atTerminal(url, ['turns'])).toMatchObject({ exitCode: 0, output: expect.stringContaining(id) });
    const none = [
      'turns',
      '--status',
      'failed,queued',
      '--model',
      'a/b',
      '--q',
      'x',
      '--error',
      'y',
      '--metadata',
      'a=b=c',
    ];
    expect(await atTerminal(url, none)).toMatchObject({ exitCode: 0, output: '' });
  }
  expect(await atTerminal('localhost:9', ['turns'])).toMatchObject({
    complaints: expect.stringContaining('Pawl does not answer at http://localhost:9. Start Pawl'),
  });
  expect(await atTerminal('', ['turns', 'all'])).toMatchObject({ complaints: expect.not.stringContaining('PAWL_URL') });
});

test.each([
  ['8080', '“8080” is not an address. Give host and port, for example http://127.0.0.1:8080.'],
  ['::1', '“::1” is not an address.'],
  ['http://', '“http://” is not an address.'],
  ['localhost:99999', '“localhost:99999” is not an address.'],
  ['ftp://localhost', '“ftp://localhost” is neither http nor https.'],
  ['http://localhost:8080/?key=1', 'has a query or a fragment'],
  ['/v1', 'PAWL_URL is a path without a host.'],
  ['http://me:secret@localhost', 'The URL contains a user or password. Give a key instead.'],
])('an invalid PAWL_URL is explained in a sentence: %s', async (url, sentence) => {
  const { complaints, exitCode } = await atTerminal(url, ['turns']);

  expect(complaints).toContain(sentence);
  expect(complaints).toMatch(/^PAWL_URL .*pawl turns --help\n$/);
  expect(complaints).not.toContain('secret');
  expect(exitCode).toBe(2);
});

const long = `${'Words of many lengths, 東京 and 👋🏽 too, in one long text. '.repeat(6)}The end.`;

test.for([40, 60, 132])(
  'in a terminal of %d columns no line is wider, and no line is too short',
  async (columns, { harness, worker: _ }) => {
    const call = { name: 'weather_lookup', arguments: { city: 'Rome' } };
    const input = scripted({
      rounds: [{ say: long, tools: [call] }],
      final: { fault: { kind: 'status', status: 400 } },
    });
    const command = ['run', input, '--model', 'openai/test', '--tools', 'weather_lookup'];

    const turn = await atTerminal(harness.url, command, [], columns);
    const list = await atTerminal(harness.url, ['turns'], [], columns);

    const lines = stripVTControlCharacters(turn.output).split('\n');
    const spoken = lines.filter((line) => line.includes('│')).map((line) => line.trim().slice(2));
    expect(lines.filter((line) => textWidth(line) > columns && line.trim().includes(' '))).toEqual([]);
    expect(spoken.join(' ')).toBe(long);
    for (const line of spoken.slice(0, -1)) expect(textWidth(line)).toBeGreaterThan(columns - 10 - 'lengths,'.length);
    expect(lines.join(' ').replace(/\s+/g, ' ')).toContain('✗ turn failed: openai refused the request (400).');
    const [last = ''] = list.output.trimEnd().split('\n').slice(-1);
    expect(textWidth(last)).toBeLessThanOrEqual(columns);
    expect(textWidth(last)).toBeGreaterThan(columns - 3);
  },
);

test('text is wrapped at 80 columns if the output is not a terminal', async ({ harness, worker: _ }) => {
  const { output } = await atTerminal(harness.url, ['run', scripted({ answer: long }), '--model', 'openai/test']);

  const spoken = output.split('\n').filter((line) => line.includes('│'));
  expect(Math.max(...spoken.map(textWidth))).toBeLessThanOrEqual(80);
  expect(textWidth(spoken[0] ?? '')).toBeGreaterThan(80 - 'lengths,'.length);
});
