import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newWebhookSecret, signWebhook } from '#core/webhooks/sign.ts';
import { createHarness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { msAgo } from '#test/harness/moments.ts';
import { scripted } from '#test/harness/scripted.ts';
import { binOf, type Installed, installPackage, run } from './install-package.ts';
import { findRuntimes } from './runtimes.ts';

let installed: Installed;
beforeAll(async () => {
  installed = await installPackage('client');
});
afterAll(() => installed.remove());

/** A program of a user: a turn from its start to its end, and a webhook. The test provides `given` and `report`. */
const program = `
import { connectPawl, PawlError } from '@pawl-turns/client';
import { verifyWebhook } from '@pawl-turns/client/webhook';

const { url, request, webhook } = given;
const pawl = connectPawl({ baseUrl: url });
const stop = new AbortController();
const turn = await pawl.turns.start(request, { signal: stop.signal });
let text = '';
for await (const event of turn.events({ signal: stop.signal })) {
  if (event.type === 'output_text.delta') text += event.delta;
}
const { status, output } = await turn.result();
const refused = await pawl.turns.get('turn_none').catch((error) => error instanceof PawlError && error.code);
const { type } = await verifyWebhook(webhook.body, webhook.headers, [webhook.secret]);
const listed = [];
for await (const { id } of pawl.turns.list()) listed.push(id === turn.id);
stop.abort(new Error('stopped'));
const left = await turn.get({ signal: stop.signal }).catch((error) => error.message);
report({ status, output, text, refused, type, listed, left });
`;

const expected = {
  ...{ status: 'completed', output: 'Hello, Ada.', text: 'Hello, Ada.', refused: 'turn_not_found' },
  ...{ type: 'turn.completed', listed: [true], left: 'stopped' },
};

function givenTo(url: string) {
  const secret = newWebhookSecret();
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'turn.completed', data: { id: 'turn_1' } });
  const timestampSeconds = Math.floor(msAgo(0) / 1000);
  const headers = signWebhook({ secrets: [secret], id: 'evt_1', timestampSeconds, body });
  const request = { model: 'openai/test', input: scripted({ answer: 'Hello, Ada.' }) };
  return { url, request, webhook: { secret, body, headers } };
}

function write(name: string, text: string): string {
  const path = join(installed.folder, name);
  writeFileSync(path, text);
  return path;
}

test('the client’s tarball is small, has no dependencies, and has only its exports', () => {
  const { name, exports, ...manifest } = JSON.parse(
    readFileSync(join(installed.folder, 'node_modules/@pawl-turns/client/package.json'), 'utf8'),
  );
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

  expect(installed.bytes).toBeLessThan(60_000);
  expect(name).toBe('@pawl-turns/client');
  expect(manifest).toMatchObject({ version, type: 'module', engines: { node: '>=18' } });
  for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    expect(manifest).not.toHaveProperty(field);
  }
  expect(
    installed.files
      .filter((file) => !/^package\/dist\/((agents|browser|events|schedules)\/)?[a-z-]+(\.d\.ts|\.js)$/.test(file))
      .sort(),
  ).toEqual(['package/LICENSE', 'package/README.md', 'package/package.json']);
  const files = [exports['.'], exports['./webhook']].flatMap((target) => Object.values<string>(target));
  for (const file of files) expect(installed.files).toContain(file.replace('./', 'package/'));
});

test.each(findRuntimes())(
  '$name runs the client from an empty folder with only the tarball',
  async ({ program: bin, args }) => {
    await using harness = await createHarness();
    await using _worker = await startBackgroundWorker(harness);
    const head =
      'const given = JSON.parse(process.argv[2]);\nconst report = (all) => console.log(JSON.stringify(all));\n';
    const file = write('program.mjs', `import process from 'node:process';\n${head}${program}`);

    const { stdout, stderr } = await run(bin, [...args, file, JSON.stringify(givenTo(harness.url))]);

    expect(JSON.parse(stdout)).toEqual(expected);
    expect(stderr).toBe('');
  },
);

test('a bundler makes one browser file of the client, without any Node API', async () => {
  await using harness = await createHarness();
  await using _worker = await startBackgroundWorker(harness);
  const entry = write(
    'page.js',
    program.replace(/^const \{ url/m, 'async function main() {\nconst { url').concat('}\nmain().catch(fail);\n'),
  );
  const bundle = join(installed.folder, 'bundle.js');

  const input = { input: entry, platform: 'browser', cwd: installed.folder } as const;
  await build({ ...input, output: { file: bundle, format: 'iife', minify: true } });
  expect(readFileSync(bundle, 'utf8')).not.toContain('node:');
  expect(statSync(bundle).size).toBeLessThan(30_000);
  const { promise, resolve: report, reject: fail } = Promise.withResolvers<unknown>();
  runInNewContext(readFileSync(bundle, 'utf8'), { ...likeABrowser(), given: givenTo(harness.url), report, fail });

  // Values of another realm have its classes, so the test compares them as JSON.
  expect(JSON.parse(JSON.stringify(await promise))).toEqual(expected);
});

/** Returns the globals that each browser has on an https page, and that the client uses. */
function likeABrowser() {
  const { fetch, AbortController, AbortSignal, URL, URLSearchParams, TextEncoder, TextDecoder, crypto } = globalThis;
  const web = { fetch, AbortController, AbortSignal, URL, URLSearchParams, TextEncoder, TextDecoder, crypto };
  return { ...web, atob, performance, setTimeout, clearTimeout };
}

const typed = `
import { connectPawl, type Turn, type TurnEvent, type TurnRequest } from '@pawl-turns/client';
import { verifyWebhook, type WebhookEvent } from '@pawl-turns/client/webhook';

const request: TurnRequest = { model: 'sim/demo', input: 'Hello', limits: { max_rounds: 3 } };
const turn = await connectPawl().turns.start(request);
for await (const event of turn.events()) if (event.type === 'output_text.delta') event.delta.toUpperCase();
const ended: Turn = await turn.result();
const first: string | undefined = ended.rounds[0]?.tool_calls[0]?.name;
const event: WebhookEvent = await verifyWebhook('', new Headers(), ['']);
if (event.type === 'turn.completed') event.data.turn?.output?.trim();
export type Seen = [typeof first, TurnEvent];

// @ts-expect-error a field that no request has
const misspelt: TurnRequest = { model: 'sim/demo', inputs: 'Hello' };
// @ts-expect-error a status that no turn has
export const isDone = ended.status === 'done' || misspelt === undefined;
`;

test.each([
  ['in Node', { module: 'nodenext', lib: ['es2022'], types: ['node'] }],
  [
    'with a bundler, for browsers',
    { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'], types: [] },
  ],
  ['in Node, with the strictest options', { module: 'nodenext', types: ['node'], exactOptionalPropertyTypes: true }],
])('the client’s types are complete %s, also with checked library declarations', async (_, options) => {
  write('typed.ts', typed);
  const strict = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2022' };
  const typeRoots = [join(import.meta.dirname, '../../node_modules/@types')];
  const compilerOptions = { ...strict, typeRoots, ...options };
  mkdirSync(join(installed.folder, 'config'), { recursive: true });
  const config = write('config/tsconfig.json', JSON.stringify({ compilerOptions, files: ['../typed.ts'] }));

  const { stdout } = await run(binOf('tsc'), ['-p', config], { cwd: installed.folder });

  expect(stdout).toBe('');
});
