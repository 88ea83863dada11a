import { PATTERNS } from './patterns.ts';
import { listFiles, type Prose, readProse } from './read-prose.ts';
import { isLongTitle, LONGEST_SENTENCE, sentencesOf } from './sentences.ts';
import { wideLinesOf } from './wide-lines.ts';

/** Lists the places that the budgets count in files whose path begins with an argument: `main.ts docs/ test/api`. */
const wanted = process.argv.slice(2);
const paths = listFiles().filter((path) => wanted.some((start) => path.startsWith(start)));
for (const prose of readProse(paths)) {
  for (const line of [...patternsIn(prose), ...longTextsIn(prose)]) console.log(line);
}
for (const path of paths) for (const line of wideLinesOf(path)) console.log(`${path}:${line} [wide]`);

function patternsIn({ kind, path, line, text }: Prose): string[] {
  return PATTERNS.flatMap(({ name, match, instead }) =>
    [...text.matchAll(match)].map(({ index }) => {
      const at = line + text.slice(0, index).split('\n').length - 1;
      const around = text.slice(Math.max(0, index - 40), index + 40).replace(/\s+/g, ' ');
      return `${path}:${at} [${kind} ${name}] …${around}… (${instead})`;
    }),
  );
}

function longTextsIn(prose: Prose): string[] {
  const title = isLongTitle(prose) ? [`${prose.path}:${prose.line} [long title] ${prose.text}`] : [];
  const sentences = sentencesOf(prose).filter(({ words }) => words > LONGEST_SENTENCE);
  return [...title, ...sentences.map(({ line, text, words }) => `${prose.path}:${line} [${words} words] ${text}`)];
}
