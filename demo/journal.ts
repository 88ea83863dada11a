import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const Entry = z.object({ tool: z.string(), pid: z.int() });

/** One real run of a tool, and the process that ran it. */
export type ToolRun = z.output<typeof Entry>;

/** A file of all real runs of the tools: written by the tools themselves, read at the end. */
export type Journal = { record(tool: string): void; read(): ToolRun[] };

/** Opens the journal at `path`, a line for each run; it is in the file before `record` returns. */
export function openJournal(path: string): Journal {
  return {
    record: (tool) => appendFileSync(path, `${JSON.stringify({ tool, pid: process.pid })}\n`),
    read: () => (existsSync(path) ? linesOf(path).map((line) => Entry.parse(JSON.parse(line))) : []),
  };
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}
