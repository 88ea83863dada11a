import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const Entry = z.object({ tool: z.string(), pid: z.int() });

/** One time that a tool was really run, and the process that ran it. */
export type ToolRun = z.output<typeof Entry>;

/** A file that knows how often each tool was really run: written by the tools themselves, read at the end. */
export type Journal = { note(tool: string): void; read(): ToolRun[] };

/** Opens the journal at `path`, a line for each run; a note is in the file before `note` returns. */
export function openJournal(path: string): Journal {
  return {
    note: (tool) => appendFileSync(path, `${JSON.stringify({ tool, pid: process.pid })}\n`),
    read: () => (existsSync(path) ? linesOf(path).map((line) => Entry.parse(JSON.parse(line))) : []),
  };
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}
