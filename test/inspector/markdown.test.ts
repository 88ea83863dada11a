import { expect, test } from 'vitest';
import { watchUsedCpu } from '#test/harness/watch-stalls.ts';

/** The page's reader of Markdown, a plain browser file. */
const reader = new URL('../../packages/inspector/content/markdown.js', import.meta.url).href;
const { readMarkdown } = (await import(reader)) as { readMarkdown: (text: string) => Node[] };

type Node = {
  kind: string;
  text?: string;
  href?: string;
  inside?: Node[];
  blocks?: Node[];
  items?: Node[][];
  rows?: Node[][][];
};

/** What is read, in short: `heading(Hi) list(paragraph(a); paragraph(b))`. */
function brief(nodes: Node[]): string {
  return nodes.map(briefOne).join(' ');
}

function briefOne({ kind, text, href, inside, blocks, items, rows }: Node): string {
  if (kind === 'text') return text ?? '';
  const within = text ?? inside?.map(briefOne).join('') ?? (blocks && brief(blocks)) ?? items?.map(brief).join('; ');
  const cells = rows?.map((row) => row.map((cell) => cell.map(briefOne).join('')).join(' | ')).join('; ');
  return `${kind}(${[href, within ?? cells].filter((part) => part !== undefined).join(' ')})`;
}

test.each([
  ['# Title #\nText.', 'heading(Title) paragraph(Text.)'],
  ['**bold _both_** and ~~gone~~', 'paragraph(strong(bold em(both)) and del(gone))'],
  ['`a * b` and ``c`d``', 'paragraph(code(a * b) and code(c`d))'],
  ['2 * 3 * 4, snake_case_name, **open', 'paragraph(2 * 3 * 4, snake_case_name, **open)'],
  ['\\*plain\\*', 'paragraph(*plain*)'],
  ['- a\n  more\n- b\n  1. c\n\n2. d', 'list(paragraph(a\nmore); paragraph(b) list(paragraph(c))) list(paragraph(d))'],
  ['```js\nx = "<b>"\n```\nafter', 'code(x = "<b>") paragraph(after)'],
  ['```\nstill being written', 'code(still being written)'],
  ['> said\n> - so', 'quote(paragraph(said) list(paragraph(so)))'],
  ['| a | b |\n|---|:-:|\n| 1 | **2** |', 'table(a | b; 1 | strong(2))'],
  ['a\n\n---\n\nb', 'paragraph(a) rule() paragraph(b)'],
])('%j is read as Markdown', (text, expected) => {
  expect(brief(readMarkdown(text))).toBe(expected);
});

test('only addresses of the web and of mail become links', () => {
  const text =
    '[a](https://a.example/x_(y)) [b](javascript:alert(1)) [c](/v1/turns) ![d](data:text/html,x) http://e.example.';

  const read = brief(readMarkdown(text));

  expect(read).toBe(
    'paragraph(link(https://a.example/x_(y) a) [b](javascript:alert(1)) [c](/v1/turns) ![d](data:text/html,x) ' +
      'link(http://e.example http://e.example).)',
  );
});

test.each([
  ['marks without a pair', '*a '.repeat(40_000)],
  ['brackets', '['.repeat(100_000)],
  ['quotes within quotes', '> '.repeat(50_000)],
  ['lists within lists', Array.from({ length: 2_000 }, (_, depth) => `${' '.repeat(depth % 60)}- x`).join('\n')],
  ['cells', `${'|-'.repeat(20_000)}\n${'|-'.repeat(20_000)}`],
])('%s take a bounded time', (_, text) => {
  const usedMs = watchUsedCpu();

  readMarkdown(text);

  expect(usedMs()).toBeLessThan(3_000);
});
