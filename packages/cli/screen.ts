import { styleText } from 'node:util';
import { type WordWrap, wrapLine, wrapWords } from './wrap-text.ts';

/** The output of a watched turn. It only grows, so that a file and a terminal show the same. */
export type Screen = {
  /** Writes a line with the seconds since the start. */
  say(text: string): void;
  /** Writes a line without seconds, below a line that has them. */
  add(text: string): void;
  /** Writes a headline after an empty line. */
  title(text: string): void;
  note(text: string): void;
  gap(): void;
  /** Begins a line to which the returned function adds text, until other output follows. */
  begin(text: string): (more: string) => void;
  /** Writes streamed text after a bar. */
  stream(chunk: string): void;
};

const STAMP_WIDTH = 6;
const MARGIN = ' '.repeat(STAMP_WIDTH + 2);
const BAR = `${MARGIN}${styleText('dim', '│')} `;
const BAR_WIDTH = MARGIN.length + 2;
const NARROWEST = 20;

/** The output. A terminal gives its current width. */
export type Output = { write(text: string): unknown; columns?: number | undefined };

/** Returns the columns of the terminal, or 80 if the output is no terminal. */
export function columnsOf({ columns }: Output): number {
  return columns || 80;
}

/** Opens a screen as wide as its output. Seconds count from the start of the process. */
export function openScreen(out: Output): Screen {
  const line = makeLine(out);

  return {
    say: (text) => line.whole(`${stamp()}  ${text}`),
    add: (text) => line.whole(MARGIN + text),
    title: (text) => line.whole(`\n  ${styleText('bold', text)}`),
    note: (text) => line.whole(`  ${styleText('dim', text)}`),
    gap: () => line.whole(''),
    begin: (text) => line.open(MARGIN + text),
    stream: line.stream,
  };
}

/** Keeps the open line, and ends it before another line begins. */
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
      const current = Symbol();
      open = current;
      return (more: string) => void (open === current && write(more));
    },
    stream: (chunk: string) => {
      if (open) close();
      words ??= wrapWords(write, { width: () => Math.max(NARROWEST, columnsOf(out) - BAR_WIDTH), margin: BAR });
      words.push(chunk);
    },
  };
}

function stamp(): string {
  return styleText('dim', (performance.now() / 1000).toFixed(1).padStart(STAMP_WIDTH));
}
