import { textWidth } from './text-width.ts';

/** Text that arrives in pieces, written word by word into lines of a bounded width. */
export type WordWrap = {
  push(piece: string): void /** Writes the word that has begun and ends the line. */;
  end(): void;
};

/** Wraps at `width` columns, asked anew for each word; each line begins with `margin`. A longer word has its own line. */
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
  function take(character: string): void {
    if (character !== ' ' && character !== '\n') {
      word += character;
      return;
    }
    finishWord();
    if (character === '\n') breakLine();
  }

  return {
    push: (piece) => [...piece].forEach(take),
    end: () => {
      finishWord();
      if (column > 0) breakLine();
    },
  };
}
