import { countWords } from './patterns.ts';
import type { Prose } from './read-prose.ts';

/** The limit of a sentence. Sentences should have 22 words. A few are longer, none is longer than this. */
export const LONGEST_SENTENCE = 40;

const LONGEST_TITLE = 80;

/** Returns whether a text is a title of a test with too many characters. */
export function isLongTitle({ kind, text }: Prose): boolean {
  return kind === 'titles' && text.length > LONGEST_TITLE;
}

/** Returns the sentences of a text with their first lines. A cell, a list item and a heading end a sentence. */
export function sentencesOf({ line, text }: Prose): { line: number; text: string; words: number }[] {
  const ends = /(?<=[.!?:;]["”)*_]*)\s|\n\s*\n|\n(?=\s*(?:[-*#|>]|\d+\.)\s?)|\|/g;
  const found: { line: number; text: string; words: number }[] = [];
  let at = 0;
  for (const end of [...text.matchAll(ends).map(({ index, 0: mark }) => index + mark.length), text.length]) {
    const sentence = text.slice(at, end);
    const before = text.slice(0, at + (sentence.length - sentence.trimStart().length));
    const words = countWords(sentence);
    if (words > 0)
      found.push({ line: line + before.split('\n').length - 1, text: sentence.replace(/\s+/g, ' ').trim(), words });
    at = end;
  }
  return found;
}
