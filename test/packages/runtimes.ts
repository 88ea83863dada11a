import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that runs JavaScript, and its arguments before the file. */
export type Runtime = { name: string; program: string; args: string[] };

/** Options of Node that remove the globals that Node 18 lacks, before any other code runs. */
const LIKE_NODE_18 = [
  '--no-experimental-global-webcrypto',
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    for (const [owner, ...names] of [[AbortSignal, 'any'], [Promise, 'withResolvers', 'try'], [URL, 'canParse', 'parse'],
      [Array, 'fromAsync'], [Object, 'groupBy'], [globalThis, 'crypto', 'navigator', 'CloseEvent', 'WebSocket']]) {
      for (const name of names) delete owner[name];
    }`)}`,
];

/** Returns each runtime of this machine, with two Nodes: the Node of the tests and the oldest. */
export function findRuntimes(): Runtime[] {
  const here = process.execPath;
  const oldest = findOldestNode();
  const others = ['bun', 'deno'].flatMap((name) =>
    onPath(name)
      .slice(0, 1)
      .map((program) => ({ name, program })),
  );
  return [
    { name: `Node ${process.versions.node}`, program: here, args: [] },
    { name: 'a Node without what Node 18 lacks', program: oldest?.program ?? here, args: LIKE_NODE_18 },
    ...(oldest ? [{ name: `Node ${oldest.version}`, program: oldest.program, args: [] }] : []),
    ...others.map(({ name, program }) => ({ name, program, args: name === 'deno' ? ['run', '--allow-all'] : [] })),
  ];
}

/** Returns the oldest Node on the PATH from this major version on, if it is older than the Node of the tests. */
export function findOldestNode(from = 18): { program: string; version: string } | undefined {
  return onPath('node')
    .map((program) => ({
      program,
      version: execFileSync(program, ['-p', 'process.versions.node'], { encoding: 'utf8' }),
    }))
    .map(({ program, version }) => ({ program, version: version.trim() }))
    .filter(({ version }) => majorOf(version) >= from && majorOf(version) < majorOf(process.versions.node))
    .sort((a, b) => majorOf(a.version) - majorOf(b.version))[0];
}

function majorOf(version: string): number {
  return Number.parseInt(version, 10);
}

function onPath(name: string): string[] {
  const found = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return [...new Set(found.filter((path) => existsSync(path)).map((path) => realpathSync(path)))];
}
