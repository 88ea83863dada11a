import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A command that cannot be read; the message says what is wrong with it. */
export class CommandMisused extends Error {}

/** Reads options and the rest of the command line. Throws CommandMisused. */
export function parseArguments<Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    const [sentence] = error instanceof Error ? error.message.split(/\.\s/) : [];
    throw new CommandMisused(`${sentence}.`);
  }
}

/** Pairs as `key=value`. Throws CommandMisused. */
export function readPairs(given: string[]): Record<string, string> {
  return Object.fromEntries(given.map((pair) => readPair(pair)));
}

function readPair(pair: string): [string, string] {
  const end = pair.indexOf('=');
  if (end < 1) throw new CommandMisused(`“${pair}” is no pair of metadata. Write key=value.`);
  return [pair.slice(0, end), pair.slice(end + 1)];
}
