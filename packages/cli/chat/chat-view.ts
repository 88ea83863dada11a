import { styleText } from 'node:util';
import { cutText, textWidth, wrapLine } from '../wrap-text.ts';
import type { ChatTerminal } from './chat-terminal.ts';

/** The output of a chat: whole lines, streamed text, and running calls. */
export type ChatView = {
  /** Writes a line below the text so far. */
  say(line: string): void;
  /** Writes a dimmed line. */
  note(line: string): void;
  text(chunk: string): void;
  endText(): void;
  /** Shows the running calls, if the output is a terminal. */
  running(lines: string[]): void;
  /** Keeps the shown rows, since a line was entered below them. */
  settle(): void;
};

const NARROWEST = 20;

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

/** Returns the full or ended rows of a text, and the rest. */
function breakRows(text: string, width: number): { rows: string[]; rest: string } {
  const lines = text.split('\n').map((line) => wrapLine(line, { width, margin: '' }).split('\n'));
  const rows = lines.flat().flatMap((row) => cutRow(row, width));
  const rest = rows.pop() ?? '';
  return { rows, rest };
}

/** Cuts a word that is longer than a row into rows. */
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
