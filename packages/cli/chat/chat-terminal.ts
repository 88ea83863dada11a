import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import type { Cli } from '../cli.ts';
import { columnsOf } from '../screen.ts';

/** Input and output of a chat. Rows are above the typed line. The next `paint` replaces live rows. */
export type ChatTerminal = {
  isTerminal: boolean;
  columns(): number;
  paint(rows: readonly string[], live: readonly string[]): void;
  /** Sets the text before the typed line. */
  setPrompt(prompt: string): void;
  /** Puts a text into the line, to be edited. */
  prefill(text: string): void;
  close(): void;
};

type Handlers = {
  line(text: string): void;
  /** Handles Enter: live rows stay on the screen. */
  entered(): void;
  /** Handles Ctrl-C on an empty line. */
  interrupted(): void;
  closed(): void;
};

/** Opens the line editor of a terminal. If input or output is a pipe, echoes the lines that it reads. */
export function openTerminal({ stdin, stdout }: Cli, on: Handlers): ChatTerminal {
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true;
  const output = isTerminal ? { output: stdout } : {};
  const lines = createInterface({ input: stdin, ...output, terminal: isTerminal, prompt: '> ' });
  const state = { live: 0, isClosed: false };
  lines.on('line', (text) => {
    if (!isTerminal) stdout.write(`> ${text}\n`);
    state.live = 0;
    on.entered();
    on.line(text);
    if (isTerminal && !state.isClosed) lines.prompt();
  });
  lines.on('SIGINT', () => {
    if (lines.line === '') on.interrupted();
    else clearLine(lines);
  });
  lines.on('close', () => {
    state.isClosed = true;
    on.closed();
  });
  if (isTerminal) lines.prompt();
  return {
    isTerminal,
    columns: () => columnsOf(stdout),
    paint: (rows, live) => {
      if (isTerminal && !state.isClosed) state.live = paintAbove(lines, stdout, { rows, live, before: state.live });
      else for (const row of rows) stdout.write(`${row}\n`);
    },
    setPrompt: (prompt) => {
      if (prompt === lines.getPrompt() || state.isClosed) return;
      lines.setPrompt(prompt);
      if (isTerminal) lines.prompt(true);
    },
    prefill: (text) => {
      if (isTerminal) lines.write(text);
    },
    close: () => lines.close(),
  };
}

function clearLine(lines: Interface): void {
  lines.write(null, { ctrl: true, name: 'e' });
  lines.write(null, { ctrl: true, name: 'u' });
}

type Painted = { rows: readonly string[]; live: readonly string[]; before: number };

/**
 * Writes rows over the live rows and the typed line, then the typed line again. The line editor moves up by the rows
 * that the typed line took last, so that many rows are written first.
 */
function paintAbove(lines: Interface, stdout: Cli['stdout'], { rows, live, before }: Painted): number {
  const typedRows = lines.getCursorPos().rows;
  moveCursor(stdout, 0, -(typedRows + before));
  cursorTo(stdout, 0);
  clearScreenDown(stdout);
  stdout.write([...rows, ...live].map((row) => `${row}\n`).join('') + '\n'.repeat(typedRows));
  lines.prompt(true);
  return live.length;
}
