import { styleText } from 'node:util';
import { type WordWrap, wrapWords } from './wrap-words.ts';

/** Where a turn is shown. What is written only ever grows, so that a file and a terminal show the same. */
export type Screen = {
  /** A line with the seconds since the start. */
  say(text: string): void;
  /** A line without, below one that has it. */
  add(text: string): void;
  /** A headline, after an empty line. */
  title(text: string): void;
  /** A quiet line below a headline. */
  note(text: string): void;
  gap(): void;
  /** A line that grows by what is given to the returned function, until anything else is written. */
  begin(text: string): (more: string) => void;
  /** Text as it streams, behind a bar. */
  speak(piece: string): void;
};

const STAMP_WIDTH = 6;
const MARGIN = ' '.repeat(STAMP_WIDTH + 2);
const TEXT_WIDTH = 66;

/** Opens the screen; seconds count from the start of the process. */
export function openScreen(out: { write(text: string): unknown }): Screen {
  const line = makeLine((text) => void out.write(text));

  return {
    say: (text) => line.whole(`${stamp()}  ${text}`),
    add: (text) => line.whole(MARGIN + text),
    title: (text) => line.whole(`\n  ${styleText('bold', text)}`),
    note: (text) => line.whole(`  ${styleText('dim', text)}`),
    gap: () => line.whole(''),
    begin: (text) => line.open(MARGIN + text),
    speak: line.speak,
  };
}

/** The line being written: ended before another one begins. */
function makeLine(write: (text: string) => void) {
  let open: symbol | undefined;
  let words: WordWrap | undefined;

  function close(): void {
    words?.end();
    if (open) write('\n');
    words = undefined;
    open = undefined;
  }

  return {
    whole: (text: string) => {
      close();
      write(`${text}\n`);
    },
    open: (text: string) => {
      close();
      write(text);
      const mine = Symbol();
      open = mine;
      return (more: string) => void (open === mine && write(more));
    },
    speak: (piece: string) => {
      if (open) close();
      words ??= wrapWords(write, { width: TEXT_WIDTH, margin: `${MARGIN}${styleText('dim', '│')} ` });
      words.push(piece);
    },
  };
}

function stamp(): string {
  return styleText('dim', (performance.now() / 1000).toFixed(1).padStart(STAMP_WIDTH));
}
