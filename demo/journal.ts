import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

const Entry = z.object({ tool: z.string(), pid: z.int() });

/** A real run of a tool, and its process. */
export type ToolRun = z.output<typeof Entry>;

/** A file of all real runs of the tools. The tools write it, and the demo reads it at the end. */
export type Journal = { record(tool: string): void; read(): ToolRun[] };

/** Opens the journal at `path`, with a line for each run. `record` returns after the line is written. */
export function openJournal(path: string): Journal {
  return {
    record: (tool) => appendFileSync(path, `${JSON.stringify({ tool, pid: process.pid })}\n`),
    read: () => (existsSync(path) ? linesOf(path).map((line) => Entry.parse(JSON.parse(line))) : []),
  };
}

function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').split('\n').filter(Boolean);
}
