import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
/** What a build needs of the repository; it is built in a copy, so that no test writes where others read. */
const SOURCES = ['package.json', 'tsconfig.json', 'build', 'packages', 'services', 'migrations'];

export const run = promisify(execFile);

/** A program of this repository's `node_modules/.bin`. */
export const binOf = (name: string) => join(ROOT, 'node_modules/.bin', name);

/** A package of ours, packed and installed into an empty folder, with no network. */
export type Installed = { folder: string; tarball: string; bytes: number; files: string[]; remove(): void };

/** Packs `packages/<name>` as a release would be, and installs the tarball as a user would. */
export async function installPackage(name: 'client' | 'cli'): Promise<Installed> {
  const parent = mkdtempSync(join(tmpdir(), 'pawl-package-'));
  const [copy, folder] = [join(parent, 'copy'), join(parent, 'user')];
  for (const path of SOURCES) cpSync(join(ROOT, path), join(copy, path), { recursive: true, filter: isSource });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  mkdirSync(folder);
  await npm(copy, ['pack', `./packages/${name}`, '--pack-destination', parent]);
  const tarball = join(parent, readdirSync(parent).find((file) => file.endsWith('.tgz')) ?? '');
  const { stdout: listing } = await run('tar', ['tzf', tarball]);
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }');
  await npm(folder, ['install', tarball, '--offline', '--no-audit', '--no-fund']);
  const remove = () => rmSync(parent, { recursive: true, force: true });
  return { folder, tarball, bytes: statSync(tarball).size, files: listing.trim().split('\n'), remove };
}

/** The types of the client are left out, as in a fresh clone: packing a package writes them. */
function isSource(path: string): boolean {
  return !path.endsWith('/dist') && !path.endsWith('/generated.ts');
}

/** npm runs on the Node that runs the tests, as `npm test` has it. */
function npm(cwd: string, args: string[]) {
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return run('npm', args, { cwd, env: { ...process.env, PATH, npm_config_update_notifier: 'false' } });
}
