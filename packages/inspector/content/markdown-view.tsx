import type { createLowlight } from 'lowlight';
import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { spelled } from '../base/bidi-controls.ts';
import { scrollable } from '../base/fact-list.tsx';
import { inOrder, Memo } from '../base/memo.tsx';
import { useClock } from '../base/use-fresh.ts';
import { formatCount } from '../base/words.ts';
import { type Formula, type Piece, piecesOf, readMarkdown, webAddressOf } from './markdown.ts';

/** A browser lays out this many characters at once. The rest of a longer text follows at a click. */
const SHOWN_CHARS = 50_000;

/** The length above which a growing text is read at intervals, since each reading begins at the first character. */
const LONG_CHARS = 10_000;
const READ_AGAIN_MS = 200;

/** Shows a text as Markdown, without HTML. Links open in a new tab. A growing text keeps its elements. */
export function MarkdownView({ text, isGrowing = false }: { text: string; isGrowing?: boolean }) {
  const [showsAll, setShowsAll] = useState(false);
  const read = useSlowed(text, isGrowing && text.length > LONG_CHARS);
  const shown = showsAll ? read : beginningOf(read);
  const blocks = useMemo(() => readMarkdown(shown), [shown]);
  const rest = text.length - SHOWN_CHARS;
  return (
    <div class={`markdown${isGrowing ? ' streaming' : ''}`} aria-busy={isGrowing || undefined}>
      {inOrder(blocks, (block) => (
        <Memo state={block.raw}>{() => <BlockView block={block} />}</Memo>
      ))}
      {rest > 0 && isGrowing && (
        <p class="meta">{formatCount(rest)} more characters. The page shows them when the text is complete.</p>
      )}
      {rest > 0 && !isGrowing && !showsAll && (
        <button type="button" onClick={() => setShowsAll(true)}>
          Show all {formatCount(text.length)} characters
        </button>
      )}
    </div>
  );
}

/** Returns the text, or the text at the last tick if `isSlowed`. */
function useSlowed(text: string, isSlowed: boolean): string {
  useClock(isSlowed ? READ_AGAIN_MS : null);
  const tick = Math.floor(performance.now() / READ_AGAIN_MS);
  const shown = useRef({ tick, text });
  if (!isSlowed || shown.current.tick !== tick) shown.current = { tick, text };
  return shown.current.text;
}

/** Returns the beginning of a text, up to the end of a line if possible. */
function beginningOf(text: string): string {
  if (text.length <= SHOWN_CHARS) return text;
  return text.slice(0, text.lastIndexOf('\n', SHOWN_CHARS) + 1 || SHOWN_CHARS);
}

function BlockView({ block }: { block: Piece }) {
  switch (block.type) {
    case 'heading':
      // The headings of a text rank below the headings of the page.
      return <h3 class={`h h${block.depth}`}>{inlineViews(block.tokens)}</h3>;
    case 'code':
      return <ColouredCode text={block.text} language={block.lang?.trim().split(/\s/)[0] ?? ''} />;
    case 'blockquote':
      return <blockquote>{blockViews(block.tokens)}</blockquote>;
    case 'list': {
      const items = inOrder(block.items, ({ tokens }) => <li>{itemViews(piecesOf(tokens))}</li>);
      return block.ordered ? <ol start={Number(block.start)}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'table':
      return <TableView table={block} />;
    case 'hr':
      return <hr />;
    case 'formula':
      return <FormulaView formula={block} />;
    default:
      return <p>{'tokens' in block ? inlineViews(block.tokens) : block.raw}</p>;
  }
}

function blockViews(tokens: Token[] | undefined) {
  return inOrder(piecesOf(tokens), (block) => <BlockView block={block} />);
}

/** Renders an item. Its first line is beside its mark, and is not a separate paragraph. */
function itemViews(pieces: Piece[]): ComponentChildren {
  const [first, ...rest] = pieces;
  if (first?.type === 'checkbox') return [first.checked ? '☑ ' : '☐ ', itemViews(rest)];
  if (first?.type !== 'text' && first?.type !== 'paragraph') return blockViews(pieces);
  return [<span key="first">{inlineViews(first.tokens)}</span>, blockViews(rest)];
}

function TableView({ table: { header, rows } }: { table: Tokens.Table }) {
  const style = ({ align }: Tokens.TableCell) => ({ textAlign: align ?? 'left' });
  return (
    <div class="wide-table" {...scrollable('Table')}>
      <table>
        <thead>
          <tr>
            {inOrder(header, (cell) => (
              <th scope="col" style={style(cell)}>
                {inlineViews(cell.tokens)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {inOrder(rows, (cells) => (
            <tr>
              {inOrder(cells, (cell) => (
                <td style={style(cell)}>{inlineViews(cell.tokens)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inlineViews(tokens: Token[] | undefined) {
  return inOrder(piecesOf(tokens), (piece) => <InlineView piece={piece} />);
}

function InlineView({ piece }: { piece: Piece }): ComponentChildren {
  switch (piece.type) {
    case 'strong':
      return <strong>{inlineViews(piece.tokens)}</strong>;
    case 'em':
      return <em>{inlineViews(piece.tokens)}</em>;
    case 'del':
      return <del>{inlineViews(piece.tokens)}</del>;
    case 'codespan':
      return <code>{piece.text}</code>;
    case 'br':
      return '\n';
    case 'text':
    case 'escape':
      return piece.text;
    case 'formula':
      return <FormulaView formula={piece} />;
    case 'link':
    case 'image':
      return <LinkView link={piece} />;
    default:
      return piece.raw;
  }
}

/** A link, or a picture as a link, since the page calls no other hosts. Other addresses stay as written. */
function LinkView({ link }: { link: Tokens.Link | Tokens.Image }) {
  const address = webAddressOf(link);
  if (address === null) return link.raw;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {link.type === 'image' ? link.text || address : inlineViews(link.tokens)}
    </a>
  );
}

type Lowlight = ReturnType<typeof createLowlight>;
type Tree = ReturnType<Lowlight['highlight']>;

/** The length above which code has no colours, since colouring would block the page. */
const MOST_CHARS = 20_000;

let loading: Promise<Lowlight> | null = null;

/** A block of code. The page loads the grammars with the first block that names its language. */
function ColouredCode({ text, language }: { text: string; language: string }) {
  const [lowlight, setLowlight] = useState<Lowlight | null>(null);
  const hasColours = language !== '' && text.length <= MOST_CHARS;
  useEffect(() => {
    if (!hasColours) return;
    loading ??= loadLowlight();
    loading.then(setLowlight, () => {
      // Code is complete without colours. The next block loads the grammars again.
      loading = null;
    });
  }, [hasColours]);
  const tree = hasColours && lowlight?.registered(language) ? lowlight.highlight(language, text) : null;
  return (
    <pre {...scrollable(language ? `Code in ${language}` : 'Code')}>
      <code>{tree ? inOrder(tree.children, nodeView) : text}</code>
    </pre>
  );
}

async function loadLowlight(): Promise<Lowlight> {
  const { common, createLowlight } = await import('lowlight');
  return createLowlight(common);
}

function nodeView(node: Tree['children'][number]): ComponentChildren {
  if (node.type === 'text') return node.value;
  if (node.type !== 'element') return null;
  const { className } = node.properties;
  return <span class={Array.isArray(className) ? className.join(' ') : ''}>{inOrder(node.children, nodeView)}</span>;
}

/** A formula as MathML. Shows the TeX until the package is loaded, and permanently if the TeX is invalid. */
function FormulaView({ formula: { text, raw, isBlock } }: { formula: Formula }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    let isShown = true;
    const draw = async () => {
      const { default: temml } = await import('temml');
      const drawn = document.createElement('span');
      temml.render(text, drawn, { displayMode: isBlock, throwOnError: true, maxSize: [20, 50] });
      // TeX can name a character by its number. Show the TeX of a formula that reverses the order of its text.
      const isOrdered = drawn.textContent === spelled(drawn.textContent);
      if (isShown && isOrdered) place.current?.replaceChildren(...drawn.childNodes);
    };
    place.current?.replaceChildren(spelled(raw));
    draw().catch(() => {});
    return () => {
      isShown = false;
    };
  }, [text, raw, isBlock]);
  if (!isBlock) return <code ref={place} class="formula" />;
  return <code ref={place} class="formula block" {...scrollable(`Formula ${spelled(text.slice(0, 60))}`)} />;
}
