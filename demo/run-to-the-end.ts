import { Failure } from '#core/failure.ts';

/** What a show may ask of whoever runs it. */
export type Stage = {
  /** Aborted when everything has to stop at once; the reason is what to tell the reader. */
  signal: AbortSignal;
  /** Has something done at the end, however it comes; the last one first. */
  atTheEnd(cleanUp: () => unknown): void;
  /** Ends the show, for a failure that is noticed elsewhere. */
  giveUp(failure: Failure): void;
};

const LIMIT_MS = 80_000;
const CLEAN_UP_LIMIT_MS = 15_000;
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * Runs a show, cleans up after it, and ends the process: with 0, with 1 and a sentence when it failed or took longer
 * than 80 s, with the shell's usual number when a signal ended it. Signals after the first change nothing: npm passes
 * on a Ctrl-C that the terminal has sent already.
 */
export async function runToTheEnd(show: (stage: Stage) => Promise<void>): Promise<never> {
  const stopping = new AbortController();
  const giveUp = (failure: Failure) => stopping.abort(failure);
  const cleanUps = new AsyncDisposableStack();
  const stage: Stage = { signal: stopping.signal, giveUp, atTheEnd: (cleanUp) => cleanUps.defer(async () => void (await cleanUp())) };
  let exitCode = 0;
  listenToSignals((signal) => giveUp(new Failure(signal, `Stopped by ${signal}.`)));
  setTimeout(() => giveUp(new Failure('too_slow', `The demo was not over after ${LIMIT_MS / 1000} s.`)), LIMIT_MS).unref();

  try {
    await Promise.race([show(stage), rejectedBy(stopping.signal)]);
  } catch (error) {
    exitCode = exitCodeOf(stopping.signal.reason ?? error);
    complain(stopping.signal.reason ?? error);
  }
  setTimeout(() => process.exit(exitCode || 1), CLEAN_UP_LIMIT_MS).unref();
  await cleanUps.disposeAsync().catch((error: unknown) => {
    exitCode ||= 1;
    complain(error);
  });
  process.exit(exitCode);
}

function listenToSignals(hear: (signal: keyof typeof SIGNALS) => void): void {
  process.on('SIGINT', () => hear('SIGINT'));
  process.on('SIGTERM', () => hear('SIGTERM'));
  process.on('SIGHUP', () => hear('SIGHUP'));
  // Whoever read the output has left, as `| head` does.
  process.stdout.on('error', () => hear('SIGHUP'));
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

function exitCodeOf(error: unknown): number {
  const code = error instanceof Failure ? error.code : '';
  return code in SIGNALS ? SIGNALS[code as keyof typeof SIGNALS] : 1;
}

/** A failure of ours is a sentence; anything else is a bug, which its stack helps to find. */
function complain(error: unknown): void {
  const words = error instanceof Failure ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`\n  ${words}\n`);
}
