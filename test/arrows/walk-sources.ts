import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { scanExports } from './scan-exports.ts';
import { scanImports } from './scan-imports.ts';

/** One import: `to` is a file of ours or the name of a package; null where it is only known at run time. */
export type Arrow = { from: string; to: string | null; isOurs: boolean };

/** One TypeScript file, its path counted from the repository's root. */
export type Source = { path: string; arrows: Arrow[]; names: string[]; handsOn: boolean };

const ROOT = new URL('../../', import.meta.url);
const FILES = ['{packages,services,simulator,migrations,test,bench,demo,examples}/**/*.ts', '*.ts'];
const ALIASES: Record<string, string> = { '#core/': 'packages/core/', 'pawl/tools': 'packages/core/tools/define-tool.ts' };

/** Reads every TypeScript file of the repository. */
export function walkSources(): Source[] {
  return globSync(FILES, { cwd: ROOT, exclude: ['**/node_modules/**'] })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => {
      const code = readFileSync(new URL(path, ROOT), 'utf8');
      return { path, arrows: scanImports(code).map((name) => arrow(path, name)), ...scanExports(code) };
    });
}

function arrow(from: string, name: string | null): Arrow {
  if (name === null) return { from, to: null, isOurs: false };
  if (name.startsWith('.')) return { from, to: posix.join(posix.dirname(from), name), isOurs: true };
  const alias = Object.keys(ALIASES).find((start) => name.startsWith(start));
  if (alias) return { from, to: name.replace(alias, ALIASES[alias] ?? ''), isOurs: true };
  if (name.startsWith('#')) return { from, to: name.slice(1), isOurs: true };
  return { from, to: packageOf(name), isOurs: false };
}

function packageOf(name: string): string {
  if (name.startsWith('node:')) return name;
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
