import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';
import { readComments, readTexts } from './read-code.ts';

/** The kind of a text. Texts of one kind share one budget. */
export type Kind = 'readme' | 'docs' | 'decisions' | 'changelog' | 'strings' | 'comments' | 'titles';

/** One text of the repository without its code: `line` is its first line in the file. */
export type Prose = { kind: Kind; path: string; line: number; text: string };

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SKIPPED = ['node_modules', '.git', '.pawl', 'dist', 'results', 'coverage', 'generated.ts'];

/** Reads all text that a person reads: Markdown, comments, titles of tests and the strings of the product. */
export function readProse(paths = listFiles()): Prose[] {
  return paths.flatMap((path) => {
    const source = readFileSync(`${ROOT}${path}`, 'utf8');
    if (path.endsWith('.md')) return [{ kind: kindOf(path), path, line: 1, text: maskMarkdown(source) }];
    if (path.endsWith('.sql')) return [{ kind: 'comments' as const, path, line: 1, text: maskSql(source) }];
    return readCode(path, source);
  });
}

/** Lists the files with prose, from the root of the repository. */
export function listFiles(): string[] {
  const found = globSync('**/*.{md,sql,ts,tsx,cjs}', { cwd: ROOT, exclude: (name) => SKIPPED.includes(name) });
  return found.map((path) => path.replaceAll('\\', '/')).sort();
}

function kindOf(path: string): Kind {
  if (path === 'README.md') return 'readme';
  if (path === 'CHANGELOG.md') return 'changelog';
  return path.startsWith('docs/decisions/') ? 'decisions' : 'docs';
}

function readCode(path: string, source: string): Prose[] {
  const { program, comments } = parseSync(path, source);
  const { titles, strings } = readTexts(program, source);
  const isShown = /^(?:packages|services|demo|examples)\//.test(path);
  const proseOf = (kind: Kind, found: { start: number; text: string }[]): Prose[] =>
    found.map(({ start, text }) => ({ kind, path, line: lineAt(source, start), text: maskCodeIn(text) }));
  return [
    ...proseOf('comments', readComments(comments, source)),
    ...proseOf('titles', titles),
    ...(isShown ? proseOf('strings', strings) : []),
  ];
}

/** Removes code, addresses and tags, and keeps every line break. */
function maskMarkdown(source: string): string {
  return source
    .replace(/^```[\s\S]*?^```/gm, blank)
    .replace(/<!--[\s\S]*?-->/g, blank)
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/<\/?\w[^>]*>/g, '')
    .replace(/`[^`\n]*`/g, 'x');
}

function maskSql(source: string): string {
  return source.replace(/^(?:(?!--).)*(--)?/gm, '').replace(/`[^`\n]*`/g, 'x');
}

function maskCodeIn(text: string): string {
  return text.replace(/`[^`]*`|\{@link[^}]*\}|\$\{[^}]*\}|\$\w+|https?:\S+/g, (code) => `x${blank(code)}`);
}

function blank(text: string): string {
  return text.replace(/[^\n]+/g, '');
}

function lineAt(source: string, offset: number): number {
  return source.slice(0, offset).split('\n').length;
}
