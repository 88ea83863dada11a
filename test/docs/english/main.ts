import { readFileSync } from 'node:fs';
import { PATTERNS } from './patterns.ts';
import { listFiles, type Prose, readProse } from './read-prose.ts';
import { LONGEST_SENTENCE, sentencesOf } from './sentences.ts';

/**
 * Prints the patterns in the files with a path that begins with an argument: `node test/docs/english/main.ts docs/`.
 */
const wanted = process.argv.slice(2);
for (const prose of readProse(listFiles().filter((path) => wanted.some((start) => path.startsWith(start))))) {
  for (const line of [...patternsIn(prose), ...longSentencesIn(prose), ...wideLinesIn(prose)]) console.log(line);
}

function patternsIn({ kind, path, line, text }: Prose): string[] {
  return PATTERNS.flatMap(({ name, match, instead }) =>
    [...text.matchAll(match)].map(({ index }) => {
      const at = line + text.slice(0, index).split('\n').length - 1;
      const around = text.slice(Math.max(0, index - 40), index + 40).replace(/\s+/g, ' ');
      return `${path}:${at} [${kind} ${name}] …${around}… (${instead})`;
    }),
  );
}

function longSentencesIn(prose: Prose): string[] {
  return sentencesOf(prose).flatMap(({ line, text, words }) =>
    words > LONGEST_SENTENCE ? [`${prose.path}:${line} [${prose.kind} ${words} words] ${text.slice(0, 80)}…`] : [],
  );
}

function wideLinesIn({ kind, path }: Prose): string[] {
  if (!path.endsWith('.md')) return [];
  const lines = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8').split('\n');
  return lines.flatMap((line, index) =>
    line.length > 120 ? [`${path}:${index + 1} [${kind} ${line.length} columns]`] : [],
  );
}
