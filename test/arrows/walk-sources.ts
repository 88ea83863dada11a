import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { scanExports } from './scan-exports.ts';
import { type ScannedImport, scanImports } from './scan-imports.ts';

/** One import. `to` is a file of the repository (`isOurs`) or a package, or null if it is known only at run time. */
export type Arrow = { from: string; to: string | null; isOurs: boolean; isType: boolean };

/** One TypeScript file, with its path from the repository's root. `handsOn` marks a barrel. */
export type Source = { path: string; arrows: Arrow[]; names: string[]; handsOn: boolean };

const ROOT = new URL('../../', import.meta.url);
const FOLDERS = ['packages', 'services', 'migrations', 'test', 'bench', 'demo', 'docs', 'examples', 'build'];
const ALIASES: Record<string, string> = {
  '#cli/': 'packages/cli/',
  '#client/': 'packages/client/',
  '#core/': 'packages/core/',
  '#inspector/': 'packages/inspector/',
  '#embedded-postgres/': 'packages/embedded-postgres/',
  '#simulator/': 'packages/simulator/',
  'pawl/client': 'packages/client/connect-pawl.ts',
  'pawl/tools': 'packages/core/tools/define/tool.ts',
  'pawl/webhook': 'packages/client/verify-webhook.ts',
};

/** Reads every TypeScript file of the repository. */
export function walkSources(): Source[] {
  const exclude = [
    'examples/chat/page.tsx',
    'packages/*/dist/**',
    'packages/client/generated.ts',
    '**/node_modules/**',
  ];
  return globSync([...FOLDERS.map((folder) => `${folder}/**/*.{ts,tsx}`), '*.ts'], { cwd: ROOT, exclude })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => {
      const code = readFileSync(new URL(path, ROOT), 'utf8');
      return { path, arrows: scanImports(code).map((scanned) => arrowOf(path, scanned)), ...scanExports(code) };
    });
}

function arrowOf(from: string, { name, isType }: ScannedImport): Arrow {
  if (name === null) return { from, to: null, isOurs: false, isType };
  const ours = fileOf(from, name);
  return { from, to: ours ?? packageOf(name), isOurs: ours !== null, isType };
}

function fileOf(from: string, name: string): string | null {
  if (name.startsWith('.')) return posix.join(posix.dirname(from), name);
  const alias = Object.keys(ALIASES).find((start) => name.startsWith(start));
  if (alias) return name.replace(alias, ALIASES[alias] ?? '');
  return name.startsWith('#') ? name.slice(1) : null;
}

function packageOf(name: string): string {
  if (name.startsWith('node:')) return name;
  const parts = name.startsWith('@') ? 2 : 1;
  return name.split('/').slice(0, parts).join('/');
}
