import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hasPythonAgents } from './has-python-agents.ts';
import { startPawl } from './start-pawl.ts';

// The programs of docs/clients.md, which this test runs as a user runs them. Only the address differs.

const run = promisify(execFile);
const hasPython = await hasPythonAgents();

const page = readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8');
const programs = page.split(/^##+ /m).flatMap((section) => {
  const [title = ''] = section.split('\n', 1);
  const blocks = section.matchAll(/^```(ts|py)\n([\s\S]*?)^```$/gm);
  return [...blocks].map(([, language = '', code = ''], index) => ({
    title: `${title}, ${index + 1}`,
    language,
    code,
  }));
});

/** Globals that a program finds in a browser. */
const BROWSER =
  'globalThis.window = globalThis; globalThis.document = { addEventListener() {}, removeEventListener() {} };';

/** The folder is next to the packages, so that the programs find them. */
const FOLDER = new URL('node_modules/.programs/', import.meta.url);

test('the page of clients has a program for each client', () => {
  expect(programs.map(({ title }) => title)).toEqual([
    ...['openai, 1', 'openai for Python, 1', 'openai for Python, 2', 'LangChain, 1', 'LangChain, 2'],
    ...['LlamaIndex, 1', 'Mastra, 1', 'AI SDK, 1', 'AI SDK, 2', 'Agents SDK for JavaScript, 1'],
    ...['Agents SDK for Python, 1', 'httpx, 1', 'Events of a turn: fetch-event-source, 1'],
  ]);
});

for (const { title, language, code } of programs) {
  test.skipIf(language === 'py' && !hasPython)(
    `the program of docs/clients.md prints the answer: ${title}`,
    async () => {
      await using pawl = await startPawl();
      const program = code.replaceAll('http://127.0.0.1:8080', pawl.url);
      const file = new URL(`${title.replaceAll(/\W+/g, '-')}.mjs`, FOLDER);
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(file, program.includes('fetch-event-source') ? `${BROWSER}\n${program}` : program);

      const { stdout } = await (language === 'py'
        ? run('python3', ['-c', program])
        : run(process.execPath, [fileURLToPath(file)]));

      expect(stdout).toContain('You said: "Say hello to Ada."');
    },
  );
}
