import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
/**
 * The paths of the repository that a build needs. The build runs in a copy, so no test writes to files that others
 * read.
 */
const SOURCES = ['package.json', 'tsconfig.json', 'build', 'packages', 'services', 'migrations'];

export const run = promisify(execFile);

export const binOf = (name: string) => join(ROOT, 'node_modules/.bin', name);

/** A packed package of this repository, installed into an empty folder without a network. */
export type Installed = { folder: string; tarball: string; bytes: number; files: string[]; remove(): void };

/** Packs `packages/<name>` like a release, and installs the tarball like a user. */
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

/** Omits the generated types of the client, as in a fresh clone: packing a package writes them. */
function isSource(path: string): boolean {
  return !path.endsWith('/dist') && !path.endsWith('/generated.ts');
}

/** Runs npm on the Node that runs the tests, like `npm test`. */
function npm(cwd: string, args: string[]) {
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return run('npm', args, { cwd, env: { ...process.env, PATH, npm_config_update_notifier: 'false' } });
}
