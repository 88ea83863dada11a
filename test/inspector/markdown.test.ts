import { expect, test } from 'vitest';
import { type Piece, piecesOf, readMarkdown, webAddressOf } from '#inspector/content/markdown.ts';

/** Renders Markdown in a short form: `heading(Hi) list(paragraph(a); paragraph(b))`. */
function brief(pieces: Piece[], separator = ' '): string {
  return pieces.map(briefOne).join(separator);
}

function briefOne(piece: Piece): string {
  switch (piece.type) {
    case 'text':
    case 'paragraph':
      return piece.tokens ? `paragraph(${inline(piece.tokens)})` : piece.text;
    case 'escape':
      return piece.text;
    case 'br':
      return '\n';
    case 'blockquote':
      return `quote(${brief(piecesOf(piece.tokens))})`;
    case 'list':
      return `list(${piece.items.map(({ tokens }) => brief(piecesOf(tokens))).join('; ')})`;
    case 'table': {
      const rows = [piece.header, ...piece.rows].map((row) => row.map(({ tokens }) => inline(tokens)).join(' | '));
      return `table(${piece.align.join(' ')}: ${rows.join('; ')})`;
    }
    case 'link':
      return webAddressOf(piece) ? `link(${webAddressOf(piece)} ${inline(piece.tokens)})` : piece.raw;
    case 'image':
      return webAddressOf(piece) ? `link(${webAddressOf(piece)} ${piece.text})` : piece.raw;
    case 'codespan':
    case 'code':
    case 'formula':
      return `${piece.type === 'codespan' ? 'code' : piece.type}(${piece.text})`;
    case 'hr':
      return 'rule()';
    case 'checkbox':
      return piece.checked ? '[x]' : '[ ]';
    default:
      return `${piece.type}(${'tokens' in piece ? inline(piece.tokens) : ''})`;
  }
}

function inline(tokens: Parameters<typeof piecesOf>[0]): string {
  return brief(piecesOf(tokens), '');
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
  ['| a | b |\n|---|:-:|\n| 1 | **2** |', 'table( center: a | b; 1 | strong(2))'],
  ['a\n\n---\n\nb', 'paragraph(a) rule() paragraph(b)'],
  ['- [x] a\n- [ ] b', 'list([x] paragraph(a); [ ] paragraph(b))'],
  ['Is \\(x_1\\) or\n\n$$\ny_2\n$$', 'paragraph(Is formula(x_1) or) formula(y_2)'],
  ['&eacute; &mdash; &Rarr; &#233; &#xE9;', 'paragraph(é — ↠ é é)'],
  ['[a](https://a.example/?b=1&amp;c=2)', 'paragraph(link(https://a.example/?b=1&c=2 a))'],
  ['\\[a \\\\[2pt] b\\] and \\[c', 'paragraph(formula(a \\\\[2pt] b) and [c)'],
  ['<b>a</b> &lt;c&gt; &amp;lt; &unknown;', 'paragraph(<b>a</b> <c> &lt; &unknown;)'],
  [
    'As in [1].\n\n[1]: https://a.example "A"',
    'paragraph(As in [1].) paragraph([1]: link(https://a.example https://a.example) "A")',
  ],
])('%j is read as Markdown', (text, expected) => {
  expect(brief(readMarkdown(text))).toBe(expected);
});

test('only web and mail addresses become links', () => {
  const text =
    '[a](https://a.example/x_(y)) [b](javascript:alert(1)) [b](java&#115;cript:x) [c](/v1/turns) ![d](data:text/html,x) http://e.example.';

  const read = brief(readMarkdown(text));

  expect(read).toBe(
    'paragraph(link(https://a.example/x_(y) a) [b](javascript:alert(1)) [b](java&#115;cript:x) [c](/v1/turns) ' +
      '![d](data:text/html,x) link(http://e.example http://e.example).)',
  );
});

test('a link of more than 2,000 characters is shown as text', () => {
  const address = `https://a.example/${'(b)'.repeat(1_000)}`;

  const read = brief(readMarkdown(`[a](${address}) ${address}`));

  expect(read).toBe(`paragraph([a](${address}) ${address})`);
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
  ['emphasis within emphasis', (count) => `${'*'.repeat(count)}a${'*'.repeat(count)}`],
  ['formulas', (count) => '$$ a '.repeat(count)],
  ['formulas that are not closed', (count) => '\\[ a '.repeat(count)],
  ['formulas that begin again', (count) => '\\['.repeat(count)],
  ['links within brackets', (count) => '[[a](b)'.repeat(count)],
  ['addresses without a space', (count) => 'http://a.b/('.repeat(count)],
  ['addresses', (count) => 'http://a.example/ '.repeat(count)],
];

test.each(hostile)('%s are parsed in linear time', (_, textOf) => {
  const [once, twice] = [2_000, 4_000].map((count) => stepsOf(() => readMarkdown(textOf(count)))) as [number, number];

  expect(once).toBeGreaterThan(1_000);
  expect(twice).toBeLessThan(2.2 * once);
});

test('a text that is nested too deeply is shown as text', () => {
  const read = brief(readMarkdown(`before\n\n${'> '.repeat(50)}deep`));

  expect(read).toBe(`paragraph(before) ${'quote('.repeat(10)}paragraph(${'> '.repeat(40)}deep)${')'.repeat(10)}`);
});

/** Counts the reads of a text: each character, piece or match that a parser reads, and the length of each match. */
function stepsOf(work: () => unknown): number {
  let steps = 0;
  const counted: [object, string][] = [
    ...['charCodeAt', 'slice', 'substring', 'indexOf', 'startsWith'].map((name): [object, string] => [
      String.prototype,
      name,
    ]),
    [RegExp.prototype, 'exec'],
    [Array.prototype, 'push'],
  ];
  const spies = counted.map(([owner, name]) => {
    const original = Reflect.get(owner, name) as (...args: unknown[]) => unknown;
    Reflect.set(owner, name, function count(this: unknown, ...args: unknown[]) {
      const found = Reflect.apply(original, this, args);
      steps += 1 + (Array.isArray(found) ? String(found[0]).length : 0);
      return found;
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
