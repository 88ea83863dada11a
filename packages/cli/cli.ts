import type { Readable, Writable } from 'node:stream';

/** The environment of the command line; `signal` is Ctrl-C. */
export type Cli = {
  env: Record<string, string | undefined>;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable;
  signal: AbortSignal;
};
