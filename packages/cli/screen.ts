import { styleText } from 'node:util';
import { wrapLine } from './wrap-line.ts';
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
const BAR = `${MARGIN}${styleText('dim', '│')} `;
const BAR_WIDTH = MARGIN.length + 2;
const NARROWEST = 20;

/** What is written to; a terminal says how wide it is, which changes while one looks. */
export type Output = { write(text: string): unknown; columns?: number | undefined };

/** The columns there are: those of the terminal, 80 where it is none. */
export function columnsOf({ columns }: Output): number {
  return columns || 80;
}

/** Opens the screen, as wide as what is written to; seconds count from the start of the process. */
export function openScreen(out: Output): Screen {
  const line = makeLine(out);

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
function makeLine(out: Output) {
  const write = (text: string) => void out.write(text);
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
      write(`${wrapLine(text, { width: columnsOf(out), margin: `${MARGIN}  ` })}\n`);
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
      words ??= wrapWords(write, { width: () => Math.max(NARROWEST, columnsOf(out) - BAR_WIDTH), margin: BAR });
      words.push(piece);
    },
  };
}

function stamp(): string {
  return styleText('dim', (performance.now() / 1000).toFixed(1).padStart(STAMP_WIDTH));
}
