import type { ChildProcess, StdioOptions } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';

/** A file for what a program writes, or what is called with each line of it. */
export type OutputTarget = { file: string } | { onLine(line: string): void };

/** What a program writes, from its start on; disposed as soon as nothing of it is looked at any more. */
export type ProgramOutput = AsyncDisposable & {
  stdio: StdioOptions;
  follow(child: ChildProcess): void;
  read(): Promise<string>;
};

/** Opens the target. Nothing passes through this process where it is a file: a driver that measures must not read logs. */
export async function openProgramOutput(target: OutputTarget): Promise<ProgramOutput> {
  return 'file' in target ? openFile(target.file) : openLines(target.onLine);
}

async function openFile(file: string): Promise<ProgramOutput> {
  const handle = await open(file, 'w');
  return {
    stdio: ['ignore', handle.fd, handle.fd],
    follow: () => {},
    read: () => readFile(file, 'utf8'),
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

function openLines(onLine: (line: string) => void): ProgramOutput {
  let text: string | null = '';
  const readLine = (line: string) => {
    if (text !== null) text += `${line}\n`;
    onLine(line);
  };
  return {
    stdio: ['ignore', 'pipe', 'pipe'],
    follow: ({ stdout, stderr }) => {
      for (const stream of [stdout, stderr]) if (stream) createInterface({ input: stream }).on('line', readLine);
    },
    read: async () => text ?? '',
    // The lines go on to be read; only the text is not kept any longer.
    [Symbol.asyncDispose]: async () => {
      text = null;
    },
  };
}
