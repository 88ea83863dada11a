import { styleText } from 'node:util';
import { cutText, textWidth, wrapLine } from '../wrap-text.ts';
import type { ChatTerminal } from './chat-terminal.ts';

/** What a chat shows: whole lines, the text of an answer as it grows, and the calls that run. */
export type ChatView = {
  /** A line of its own, below the text so far. */
  say(line: string): void;
  /** A quiet line. */
  note(line: string): void;
  text(chunk: string): void;
  /** Ends the text so far. */
  endText(): void;
  /** The calls that run now, in a terminal. */
  running(lines: string[]): void;
  /** What is shown stays where it is, since a line was entered below it. */
  settle(): void;
};

const NARROWEST = 20;

/** Makes the view of a chat. */
export function makeView(terminal: () => ChatTerminal): ChatView {
  let row = '';
  let calls: string[] = [];
  const width = () => Math.max(NARROWEST, terminal().columns() - 1);
  const paint = (rows: string[]) => {
    const text = row === '' ? [] : [row];
    terminal().paint(rows, [...text, ...calls.map((call) => cutText(call, width()))]);
  };
  const takeText = () => {
    const rows = row === '' ? [] : [row];
    row = '';
    return rows;
  };
  const say = (line: string) => paint([...takeText(), ...wrapLine(line, { width: width(), margin: '  ' }).split('\n')]);

  return {
    say,
    note: (line) => say(styleText('dim', line)),
    text: (chunk) => {
      const { rows, rest } = breakRows(row + chunk, width());
      row = rest;
      paint(rows);
    },
    endText: () => paint(takeText()),
    running: (lines) => {
      calls = lines;
      paint([]);
    },
    settle: () => {
      if (terminal().isTerminal) row = '';
    },
  };
}

/** The rows of a text that are full or ended, and what is left of it. */
function breakRows(text: string, width: number): { rows: string[]; rest: string } {
  const lines = text.split('\n').map((line) => wrapLine(line, { width, margin: '' }).split('\n'));
  const rows = lines.flat().flatMap((row) => cutRow(row, width));
  const rest = rows.pop() ?? '';
  return { rows, rest };
}

/** A word that is longer than a row goes on in the next ones. */
function cutRow(row: string, width: number): string[] {
  if (textWidth(row) <= width) return [row];
  const rows = [''];
  for (const character of row) {
    const last = rows.at(-1) ?? '';
    if (textWidth(last + character) > width) rows.push(character);
    else rows[rows.length - 1] = last + character;
  }
  return rows;
}
