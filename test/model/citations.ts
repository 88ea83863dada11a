import { globSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);
const CITED = /\((R\d+b?(?:, R\d+b?)*)\)/g;

/** Returns the places in the code that name a rule, as `rule file`: `(R5)` or `(R5, R8)` in a comment. */
export function citations(): string[] {
  const files = globSync(['packages/**/*.ts', 'services/**/*.ts', 'migrations/**'], { cwd: ROOT });
  const found = files.flatMap((file) => {
    const names = [...read(file).matchAll(CITED)].flatMap(([, list]) => list?.split(', ') ?? []);
    return names.map((name) => `${name} ${file.replaceAll('\\', '/')}`);
  });
  return [...new Set(found)].sort();
}

/** Returns whether a file of the repository contains these words, apart from line breaks, indents and braces. */
export function says(file: string, words: string): boolean {
  return plain(read(file)).includes(plain(words));
}

function read(file: string): string {
  const path = new URL(file, ROOT);
  return file.includes('.') ? readFileSync(path, 'utf8') : '';
}

function plain(text: string): string {
  return text.replace(/\$?\{|\}|`/g, '').replace(/\s+/g, ' ');
}
