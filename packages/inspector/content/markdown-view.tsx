import type { Token, Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { scrollable } from '../base/fact-list.tsx';
import { inOrder, Memo } from '../base/memo.tsx';
import { formatCount } from '../base/words.ts';
import { ColouredCode } from './coloured-code.tsx';
import { FormulaView } from './formula-view.tsx';
import { type Piece, piecesOf, readMarkdown, webAddressOf } from './markdown.ts';

/** A browser lays out this many characters at once. The rest of a longer text follows at a click. */
const SHOWN_CHARS = 50_000;

/** The page reads a growing text of this length again only after this time: each reading begins at the first character. */
const LONG_CHARS = 10_000;
const READ_AGAIN_MS = 200;

/** Shows a text as Markdown, without any markup of its own. Links open elsewhere. A text that grows keeps its elements. */
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

/** The text, or while it `isSlowed`: the text as it was at the last tick. */
function useSlowed(text: string, isSlowed: boolean): string {
  const newest = useRef(text);
  const shown = useRef(text);
  const [, render] = useReducer((count: number) => count + 1, 0);
  newest.current = text;
  if (!isSlowed) shown.current = text;
  useEffect(() => {
    if (!isSlowed) return;
    const ticks = setInterval(() => {
      shown.current = newest.current;
      render(undefined);
    }, READ_AGAIN_MS);
    return () => clearInterval(ticks);
  }, [isSlowed]);
  return shown.current;
}

/** The beginning of a text, up to the end of a line if possible. */
function beginningOf(text: string): string {
  if (text.length <= SHOWN_CHARS) return text;
  return text.slice(0, text.lastIndexOf('\n', SHOWN_CHARS) + 1 || SHOWN_CHARS);
}

function BlockView({ block }: { block: Piece }) {
  switch (block.type) {
    case 'heading':
      // The page has headings of its own above: the headings of a text rank below them.
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

/** The first line of an item is beside its mark, and is not a paragraph of its own. */
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

/** A link, or a picture as a link to it: the page loads nothing from other hosts. Any other address stays as written. */
function LinkView({ link }: { link: Tokens.Link | Tokens.Image }) {
  const address = webAddressOf(link);
  if (address === null) return link.raw;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {link.type === 'image' ? link.text || address : inlineViews(link.tokens)}
    </a>
  );
}
