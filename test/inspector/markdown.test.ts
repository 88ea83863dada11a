import { expect, test } from 'vitest';

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

const hostile: [string, (count: number) => string][] = [
  ['short paragraphs', (count) => 'a\n\n'.repeat(count)],
  ['list items', (count) => '- item\n'.repeat(count)],
  ['fences', (count) => '```\n'.repeat(count)],
  ['lines of prose', (count) => 'The quick brown fox jumps over a lazy dog.\n'.repeat(count)],
  ['marks without a pair', (count) => '*a '.repeat(count)],
  ['marks within words', (count) => '_a_b'.repeat(count)],
  ['brackets', (count) => '['.repeat(count)],
  ['pictures that are not closed', (count) => '![['.repeat(count)],
  ['quotes within quotes', (count) => '> '.repeat(count)],
  ['lists within lists', (count) => Array.from({ length: count }, (_, at) => `${' '.repeat(at % 60)}- x`).join('\n')],
  ['table rows', (count) => `|a|b|\n|-|-|\n${'|1|2|\n'.repeat(count)}`],
  ['table columns', (count) => `${'|-'.repeat(count)}\n${'|-'.repeat(count)}`],
  ['addresses', (count) => 'http://a.example/ '.repeat(count)],
];

test.each(hostile)('%s take steps in proportion to their number', (_, textOf) => {
  const [once, twice] = [2_000, 4_000].map((count) => stepsOf(() => readMarkdown(textOf(count)))) as [number, number];

  expect(once).toBeGreaterThan(1_000);
  expect(twice).toBeLessThan(2.2 * once);
});

test('a text that is nested too deeply is shown as it is written', () => {
  const text = `${'> '.repeat(50)}deep`;

  expect(brief(readMarkdown(`before\n\n${text}`))).toBe(`paragraph(before) paragraph(${text})`);
});

/** Counts the reads of a text: each character, piece or match that a parser looks at. */
function stepsOf(work: () => unknown): number {
  let steps = 0;
  const counted: [object, string][] = [
    ...['charCodeAt', 'codePointAt', 'slice', 'indexOf', 'startsWith'].map((name): [object, string] => [
      String.prototype,
      name,
    ]),
    [RegExp.prototype, 'exec'],
    [Array.prototype, 'push'],
    [Array.prototype, 'findIndex'],
  ];
  const spies = counted.map(([owner, name]) => {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    Reflect.set(owner, name, function count(this: unknown, ...args: unknown[]) {
      steps += 1;
      return Reflect.apply(original, this, args);
    });
    return () => Reflect.set(owner, name, original);
  });
  try {
    work();
  } finally {
    for (const restore of spies) restore();
  }
  return steps;
}
