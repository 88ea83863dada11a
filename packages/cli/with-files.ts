import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { type InputPart, partOf, type TurnRequest } from '../client/connect-pawl.ts';
import { CommandMisused } from './parse-arguments.ts';
import type { Command } from './read-command.ts';

const TYPES: Partial<Record<string, string>> = {
  ...{ '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.gif': 'image/gif', '.webp': 'image/webp' },
  ...{
    '.mp3': 'audio/mpeg',
    '.wav': 'audio/wav',
    '.pdf': 'application/pdf',
    '.csv': 'text/csv',
    '.md': 'text/markdown',
  },
  ...{ '.txt': 'text/plain', '.json': 'application/json' },
};

/** The request of a `run`, its files behind the words. Throws CommandMisused for one that cannot be read. */
export async function withFiles({ request, files }: Extract<Command, { kind: 'run' }>): Promise<TurnRequest> {
  if (files.length === 0 || typeof request.input !== 'string') return request;
  const parts = await Promise.all(files.map(readPart));
  return { ...request, input: [{ role: 'user', content: [{ type: 'input_text', text: request.input }, ...parts] }] };
}

async function readPart(path: string): Promise<InputPart> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandMisused(`The file ${path} cannot be read (${error.code}).`);
  });
  const mediaType = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  return partOf(bytes, { mediaType, filename: basename(path) });
}
