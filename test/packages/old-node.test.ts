import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findOldestNode } from './runtimes.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const { scripts, bin, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const PARTS = ['start', 'api', 'worker', 'migrate', 'simulator', 'demo'];

const folder = mkdtempSync(join(tmpdir(), 'pawl-old-node-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A script that claims to be Node 20 before any other code runs, since not every machine has an old Node. */
const claim = join(folder, 'claim-node-20.cjs');
writeFileSync(
  claim,
  `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });`,
);
const old = findOldestNode();
const nodes = [
  { name: 'one that says it is Node 20', program: process.execPath, args: ['-r', claim], version: '20.20.2' },
  ...(old ? [{ name: `Node ${old.version}`, ...old, args: [] }] : []),
];

/** Runs the command `node …` of a script on another Node. */
function runOn({ program, args }: { program: string; args: string[] }, command: string, cwd = ROOT) {
  const env = { PATH: process.env.PATH, PORT: '0', PAWL_DATA_DIR: join(folder, 'data') };
  const written = command.replace(/^node /, '').split(' ');
  return new Promise((resolve) => {
    execFile(program, [...args, ...written], { cwd, env, timeout: 30_000 }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test.each(nodes)('$name prints a sentence with an instruction from each script and command', async (node) => {
  const stderr = expect.stringMatching(
    new RegExp(`^Pawl needs Node 24 or newer, and this is Node ${node.version}\\. Run “npm ci” [^\\n]+\\.\\n$`),
  );
  for (const command of [...PARTS.map((part) => scripts[part]), `node ${bin.pawl} --help`]) {
    expect(await runOn(node, command), command).toEqual({ code: 1, stdout: '', stderr });
  }
});

test('each script reports missing packages in one sentence, on each Node', async () => {
  const clone = join(folder, 'clone');
  mkdirSync(clone);
  cpSync(join(ROOT, 'services'), join(clone, 'services'), { recursive: true });
  const here = { program: process.execPath, args: [], version: '' };

  for (const node of [here, ...nodes]) {
    for (const part of PARTS) {
      const stderr = 'The packages that Pawl is made of are not installed. Run “npm ci” first.\n';
      expect(await runOn(node, scripts[part], clone), scripts[part]).toEqual({ code: 1, stdout: '', stderr });
    }
  }
});

test('package.json, the image and the README name the same Node', () => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const froms = [...dockerfile.matchAll(/^FROM node:(\S+)-slim/gm)].map(([, version]) => version);

  expect(optionalDependencies.node).toMatch(/^24\.\d+\.\d+$/);
  expect(new Set(froms)).toEqual(new Set([optionalDependencies.node]));
  expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toMatch(/Node\s24/);
});
