import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { type InputPart, partOf, type TurnRequest } from '../client/connect-pawl.ts';

const TYPES: Partial<Record<string, string>> = {
  ...{ '.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.gif': 'image/gif', '.webp': 'image/webp' },
  ...{ '.mp3': 'audio/mpeg', '.wav': 'audio/wav', '.pdf': 'application/pdf', '.csv': 'text/csv' },
  ...{ '.md': 'text/markdown', '.txt': 'text/plain', '.json': 'application/json' },
};

/** Returns the input of a turn with its files after the text. Throws InvalidArgumentError for an unreadable file. */
export async function withFiles(input: string, files: string[]): Promise<TurnRequest['input']> {
  if (files.length === 0) return input;
  const parts = await Promise.all(files.map(readPart));
  return [{ role: 'user', content: [{ type: 'input_text', text: input }, ...parts] }];
}

async function readPart(path: string): Promise<InputPart> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new InvalidArgumentError(`The file ${path} cannot be read (${error.code}). Check its path.`);
  });
  const mediaType = TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream';
  return partOf(bytes, { mediaType, filename: basename(path) });
}
