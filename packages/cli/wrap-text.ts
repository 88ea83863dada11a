import { stripVTControlCharacters } from 'node:util';

/** Breaks each line of a text at words, so that it fits `width` columns. The rest follows after `margin`. */
export function wrapLine(text: string, { width, margin }: { width: number; margin: string }): string {
  return text
    .split('\n')
    .map((line) => breakLine(line, { width, margin }))
    .join('\n');
}

function breakLine(text: string, { width, margin }: { width: number; margin: string }): string {
  if (textWidth(text) <= width) return text;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<= )(?=[^ ])/)) {
    if (line.trim() !== '' && textWidth(line + word.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = margin;
    }
    line += word;
  }
  return [...lines, line].join('\n');
}

/** Streamed text, wrapped into lines of a bounded width. */
export type WordWrap = {
  push(chunk: string): void;
  /** Writes the last word and ends the line. */
  end(): void;
};

/** Wraps at `width` columns, read for each word. Lines begin with `margin`. A longer word has its own line. */
export function wrapWords(
  write: (text: string) => void,
  { width, margin }: { width: () => number; margin: string },
): WordWrap {
  let column = 0;
  let word = '';

  function finishWord(): void {
    if (word === '') return;
    const columns = textWidth(word);
    if (column > 0 && column + 1 + columns > width()) breakLine();
    write(column === 0 ? margin + word : ` ${word}`);
    column += (column === 0 ? 0 : 1) + columns;
    word = '';
  }
  function breakLine(): void {
    write('\n');
    column = 0;
  }
  function takeCharacter(character: string): void {
    if (character !== ' ' && character !== '\n') {
      word += character;
      return;
    }
    finishWord();
    if (character === '\n') breakLine();
  }

  return {
    push: (chunk) => [...chunk].forEach(takeCharacter),
    end: () => {
      finishWord();
      if (column > 0) breakLine();
    },
  };
}

/** Cuts a line that is wider than `width` columns, and marks the cut. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let short = '';
  for (const character of text) {
    if (textWidth(short + character) >= width) break;
    short += character;
  }
  return `${short}…`;
}

const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul}|[\u3000-\u303f\uff01-\uff60])/u;
const graphemes = new Intl.Segmenter();

/** Returns the columns of a text in a terminal. Colours take no column, ideographs and emoji take two. */
export function textWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  return [...graphemes.segment(plain)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);
}
