import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { openCuttingProxy } from '#test/harness/links/cutting-proxy.ts';
import { scripted } from '#test/harness/scripted.ts';
import { browserSuite } from '#test/inspector/browser-suite.ts';
import { document, type Schema } from '../openapi/document.ts';

const ROOT = new URL('../../../', import.meta.url);
const guide = readFileSync(new URL('docs/watching.md', ROOT), 'utf8');
const [inShell] = codeIn('sh');
const [inBrowser, withFetch] = codeIn('js');
const [withClient] = codeIn('ts');
const [inPython] = codeIn('python');

const run = promisify(execFile);
const hasPython = await run('python3', ['--version']).then(
  () => true,
  () => false,
);

const said = ['Ich sehe nach … für Köln 🌧 und Łódź.', 'Grüße aus 東京 👋🏽, und mehr als ein Satz davon.'];
const slow = {
  tools: ['weather_lookup'],
  input: scripted({
    rounds: [{ say: said[0]!, tools: [{ name: 'weather_lookup', arguments: { city: 'Köln' } }] }],
    answer: said[1]!,
    pace_ms: 8,
    piece_chars: 2,
  }),
};
const cuts = [500, 900, 1500];
const durable = [
  'turn.queued',
  'turn.started',
  'round.completed',
  'tool_call.completed',
  'round.completed',
  'turn.completed',
];

test('the shell commands of the guide start a turn, wait for it and follow it', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);

  const { stdout } = await run('sh', ['-c', inShell!.replace('http://127.0.0.1:8080', harness.url)]);

  expect(stdout).toMatch(/"status":"completed"/);
  expect(stdout).toMatch(/event: turn\.queued$/m);
  expect(stdout).toMatch(/event: turn\.completed$/m);
  expect(stdout).toMatch(/\{"object":"list","data":\[\{"type":"round.completed"/);
});

test('the fetch example receives each durable event once across lost connections', async () => {
  await using harness = await createHarness({ env: { PAWL_API_KEYS: 'alpha:key-of-alpha' } });
  await using _worker = await startBackgroundWorker(harness);
  await using proxy = await openCuttingProxy(harness.url, cuts);
  const authorization = 'Bearer key-of-alpha';
  const asking = { body: { model: 'openai/test', ...slow }, headers: { authorization } };
  const { body } = await harness.call<{ id: string }>('POST', '/v1/turns', asking);

  const output = await runNode(`const [api, id, key] = ['${proxy.url}', '${body.id}', 'key-of-alpha'];\n${withFetch}`);

  expect(proxy.count()).toBeGreaterThan(cuts.length);
  expect(
    output
      .trim()
      .split('\n')
      .filter((type) => durable.includes(type)),
  ).toEqual(durable);
});

test('the client example writes each text whole across lost connections', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using proxy = await openCuttingProxy(harness.url, cuts);
  const { id } = await harness.startTurn(slow);

  const output = await runNode(`const [api, key, id] = ['${proxy.url}', undefined, '${id}'];\n${withClient}`);

  expect(output).toBe(said.join(''));
});

test.skipIf(!hasPython)('the Python example writes the whole text and the end (needs python3)', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  await using proxy = await openCuttingProxy(harness.url, cuts);
  const { id } = await harness.startTurn(slow);

  const args = ['-c', inPython!, `${proxy.url}/v1/turns/${id}/events`];
  const { stdout } = await run('python3', args, { env: { ...process.env, PYTHONIOENCODING: 'utf-8' } });

  const lines = stdout.trim().split('\n');
  const numbered = lines.filter((line) => /^\d/.test(line)).map((line) => line.trim());
  expect(proxy.count()).toBeGreaterThan(cuts.length);
  expect(numbered).toEqual(durable.map((type, index) => `${index + 1} ${type}`));
  expect(lines.at(-1)).toBe(`completed ${said[1]}`);
});

test('the table of the guide names every event and field of the OpenAPI document', () => {
  const rows = guide.split('\n').filter((line) => /^\| `.*\| (durable|live) \|$/.test(line));
  const common = ['type', 'turn_id', 'id', 'created_at', 'sequence_number'];
  const described = (document.components.schemas.StreamedEvent!.oneOf as { $ref: string }[]).map(({ $ref }) => {
    const { properties = {} } = document.components.schemas[$ref.split('/').at(-1)!] as Schema;
    const fields = Object.keys(properties).filter((name) => !common.includes(name));
    return [(properties.type!.enum as string[])[0]!, ...fields];
  });

  for (const [type, ...fields] of described) {
    const row = rows.find((line) => line.includes(`\`${type}\``));
    expect
      .soft(
        fields.filter((name) => !row?.includes(`\`${name}\``)),
        type,
      )
      .toEqual([]);
  }
});

browserSuite('in a browser', (open) => {
  test('the EventSource example follows a turn to its end and stops', async () => {
    await using harness = await createHarness();
    await using _worker = await startBackgroundWorker(harness);
    await using page = await open(`${harness.url}/healthz`);
    const { id } = await harness.startTurn(slow);

    await page.page.evaluate(`{ const id = '${id}'; ${inBrowser}; Object.assign(window, { texts, source }); }`);
    await page.page.waitForFunction('window.source.readyState === EventSource.CLOSED');

    expect(await page.page.evaluate('Object.values(window.texts)')).toEqual(said);
    expect(page.problems).toContain(said[1]);
  });
});

function codeIn(language: string): string[] {
  return [...guide.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code!);
}

async function runNode(code: string): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT });
  return stdout;
}
