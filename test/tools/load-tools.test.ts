import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Tool } from '#core/turn/request/tool.ts';

const IMPORTS = `import { defineTool, ToolFailed } from 'pawl/tools';\nimport { z } from 'zod';\n`;
const HERE = resolve(import.meta.dirname, '../..');

test('tools of a module outside the project use our zod and our pawl/tools', async () => {
  await using file = await toolsFile(`${IMPORTS}
    const greet = defineTool({ name: 'greet', description: 'Greets somebody by name.', input: z.object({ who: z.string() }),
      execute: ({ who }) => \`Hello \${who}\` });
    export default [greet];`);

  const loaded = await loadInNode(file.path, { call: 'greet', args: { who: 'Ada' } });

  expect(loaded.tools).toMatchObject([{ name: 'greet', execution: { kind: 'server' }, effect: 'at_most_once' }]);
  expect(loaded.output).toBe('Hello Ada');
});

test('a failure thrown by a tool outside the project has our own class', async () => {
  await using file = await toolsFile(`${IMPORTS}
    export default [defineTool({ name: 'seek', description: 'Never finds a thing.', input: z.object({}),
      execute() { throw new ToolFailed('resource_not_found', 'No such city', { city: 'Atlantis' }); } })];`);

  const loaded = await loadInNode(file.path, { call: 'seek', args: {} });

  expect(loaded.failed).toBe('resource_not_found');
});

test('the example tools load', async () => {
  const loaded = await loadInNode('examples/tools.ts', { call: 'get_weather', args: { city: 'Tokyo' } });

  expect(loaded.tools?.map(({ name, effect }) => [name, effect])).toEqual([
    ['get_weather', 'none'],
    ['search_flights', 'none'],
    ['book_flight', 'at_most_once'],
  ]);
  expect(loaded.output).toEqual({ celsius: 18, sky: 'clouds' });
});

test('no tools are loaded without a path and without ./tools.ts', async () => {
  await using file = await toolsFile(null);

  const loaded = await loadInNode('', { cwd: file.folder });

  expect(loaded.tools).toEqual([]);
});

test('./tools.ts is loaded if no path is given', async () => {
  await using file = await toolsFile(`${IMPORTS}
    export default [defineTool({ name: 'found', description: 'Lies where one looks.', input: z.object({}), execute: () => 1 })];`);

  const loaded = await loadInNode('', { cwd: file.folder });

  expect(loaded.tools).toMatchObject([{ name: 'found' }]);
});

test.for([
  ['a file that does not exist', null, /PAWL_TOOLS names .*tools\.ts, which does not exist/],
  ['a module with a syntax error', 'export default [', /tools\.ts:1 could not be loaded/],
  ['a module that throws', '\n\nthrow new Error("no database");', /tools\.ts:3 could not be loaded: no database/],
  [
    'a module with syntax Node cannot strip',
    'const a: number = 1;\nenum A { b }',
    /tools\.ts:2 could not be loaded: TypeScript enum/,
  ],
  [
    'a package that does not exist',
    'import "no-such-package-here";',
    /tools\.ts could not be loaded: .*no-such-package-here/,
  ],
  [
    'a module without a default list',
    'export const tools = [];',
    /tools\.ts: the default export is not a list of tools/,
  ],
  [
    'an entry that is not a tool',
    'export default [{ name: "x" }];',
    /tools\.ts: tools\[0\] is not a tool\. Create it with defineTool/,
  ],
  [
    'a tool with a name that breaks the rules',
    `${IMPORTS}const bad = defineTool({ name: 'Bad-Name', description: 'Breaks the rules.', input: z.object({}), execute: () => 1 });
     export default [bad];`,
    /tools\.ts:3: tools\[0\]\.name \(Bad-Name\): Give the tool another name/,
  ],
  [
    'a tool with a timeout out of range',
    `${IMPORTS}export default [defineTool({ name: 'slow', description: 'Takes for ever.', input: z.object({}), timeoutMs: 0, execute: () => 1 })];`,
    /tools\.ts:3 could not be loaded: Tool "slow": timeout_ms/,
  ],
  [
    'a tool with an input that has no JSON Schema',
    `${IMPORTS}export default [defineTool({ name: 'when', description: 'Takes a date.', input: z.object({ at: z.date() }), execute: () => 1 })];`,
    /tools\.ts:3 could not be loaded: Tool "when": input cannot be converted to a JSON Schema/,
  ],
] as const)('%s stops the start, and the error names file, line, tool and rule', async ([, source, message]) => {
  await using file = await toolsFile(source);

  const loaded = await loadInNode(file.path);

  expect(loaded.error).toMatchObject({ name: 'Misconfigured', message: expect.stringMatching(message) });
});

test('the relaxed rules allow a tool name that only providers accept', async () => {
  await using file = await toolsFile(`${IMPORTS}
    export default [defineTool({ name: 'Get-It', description: '', input: z.object({}), execute: () => 1 })];`);

  const loaded = await loadInNode(file.path, { rules: 'provider' });

  expect(loaded.tools).toMatchObject([{ name: 'Get-It' }]);
});

type Loaded = { tools?: Tool[]; output?: unknown; failed?: string; error?: { name: string; message: string } };
type Wish = { call?: string; args?: unknown; rules?: string; cwd?: string };

/** Loads the tools in a separate process. Inside the test runner, the runner resolves modules instead of Node. */
async function loadInNode(path: string, { cwd = HERE, ...wish }: Wish = {}): Promise<Loaded> {
  const script = `
    const core = ${JSON.stringify(`${HERE}/packages/core/tools`)};
    const { loadTools } = await import(core + '/load.ts');
    const { ToolFailed } = await import(core + '/define/tool.ts');
    const [path, { call, args, rules }] = JSON.parse(process.argv[1]);
    const context = { signal: new AbortController().signal, idempotencyKey: 'key', turnId: 'turn_1', progress() {} };
    const print = (loaded) => console.log(JSON.stringify(loaded));
    try {
      const registry = await loadTools(path || undefined, rules);
      const output = call && (await registry.find(call).run(args, context));
      print({ tools: registry.list(), output });
    } catch (error) {
      print(error instanceof ToolFailed ? { failed: error.category } : { error: { name: error.name, message: error.message } });
    }`;
  const args = ['--input-type=module', '--eval', script, JSON.stringify([path, wish])];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  return JSON.parse(stdout);
}

async function toolsFile(source: string | null): Promise<{ path: string; folder: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-tools-'));
  const path = join(folder, 'tools.ts');
  if (source !== null) await writeFile(path, source);
  return { path, folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
