import { readFileSync } from 'node:fs';

/** The glossary as the check reads it, all words in lower case and in the singular. */
export type Glossary = { known: Set<string>; refused: Map<string, string> };

const FILE = new URL('../../docs/glossary.md', import.meta.url);

/** Reads `docs/glossary.md`: its words with their names in code, its common stock, and the words that are not used. */
export function readGlossary(): Glossary {
  const [entries = '', refused = ''] = readFileSync(FILE, 'utf8').split('## Words that are not used');
  const words = rowsOf(entries).flatMap(([word = '', , inCode = '']) => [...wordsOf(word), ...wordsOf(inCode)]);
  const stock = entries.slice(entries.indexOf('**The field')).split(':')[1] ?? '';
  return {
    known: new Set([...words, ...wordsOf(stock)]),
    refused: new Map(rowsOf(refused).flatMap(([not = '', but = '']) => not.split(', ').map((word) => [word, but]))),
  };
}

/** Returns the words of a name or a text, in lower case and in the singular: `ToolCalls` has `tool` and `call`. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .map(singular);
}

function singular(word: string): string {
  return word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '');
}

function rowsOf(markdown: string): string[][] {
  const rows = markdown.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
