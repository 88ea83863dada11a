import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import type { Cli } from './cli.ts';

/** Reads the input of a turn from the standard input, as in `echo Hello | pawl run`. Throws InvalidArgumentError. */
export async function readInput({ stdin, signal }: Cli): Promise<string> {
  const input = stdin.isTTY ? '' : (await text(addAbortSignal(signal, stdin))).trimEnd();
  if (input === '')
    throw new InvalidArgumentError('The input is missing. Write pawl run "Hello", or pipe a text into pawl run.');
  return input;
}
