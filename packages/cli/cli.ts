import type { Readable, Writable } from 'node:stream';
import type { CallOptions, Pawl } from '../client/connect-pawl.ts';

/** The environment of the command line. Ctrl-C aborts `signal`. */
export type Cli = {
  env: Record<string, string | undefined>;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable;
  signal: AbortSignal;
};

/** The API and the environment of a command. Each request takes the `options`. */
export type Context = { pawl: Pawl; cli: Cli; options: CallOptions };

/** Makes the action of a command from a function that resolves to the exit code. */
export type Act = <Given extends unknown[]>(
  work: (context: Context, ...given: Given) => Promise<number>,
) => (...given: Given) => Promise<void>;

export type JsonOption = { json?: boolean };
