import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Cli } from './cli.ts';
import { CommandMisused } from './parse-arguments.ts';

/** Reads the input of a turn from the standard input, as in `echo Hello | pawl run`. Throws CommandMisused. */
export async function readInput({ stdin, signal }: Cli): Promise<string> {
  const input = stdin.isTTY ? '' : (await text(addAbortSignal(signal, stdin))).trimEnd();
  if (input === '')
    throw new CommandMisused('The input is missing. Write pawl run "Hello", or pipe a text into pawl run.');
  return input;
}
