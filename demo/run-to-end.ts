import { Failure } from '#core/failure.ts';

/** What the demo needs of the process it runs in. */
export type DemoRun = {
  /** Aborted when everything has to stop at once; the reason is a sentence for the reader. */
  signal: AbortSignal;
  /** Adds a clean-up, done at the end however it comes; the last one first. */
  atTheEnd(cleanUp: () => unknown): void;
  /** Adds lines below the sentence of a failure. */
  ifItFails(explain: () => string[]): void;
  /** Ends the run, for a failure that is noticed elsewhere. */
  giveUp(failure: Failure): void;
};

const LIMIT_MS = 180_000;
const CLEAN_UP_LIMIT_MS = 15_000;
const SIGNALS = new Map([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
]);

/**
 * Runs the demo, cleans up after it, and ends the process: with 0, with 1 and a sentence when it failed or took longer
 * than 180 s, with the shell's usual number when a signal ended it. Signals after the first change nothing: npm passes
 * on a Ctrl-C that the terminal has sent already.
 */
export async function runToEnd(demo: (run: DemoRun) => Promise<void>): Promise<never> {
  const stopping = new AbortController();
  const cleanUps = new AsyncDisposableStack();
  const explanations: (() => string[])[] = [];
  const run: DemoRun = {
    signal: stopping.signal,
    atTheEnd: (cleanUp) => cleanUps.defer(async () => void (await cleanUp())),
    ifItFails: (explain) => void explanations.push(explain),
    giveUp: (failure) => stopping.abort(failure),
  };
  listenToSignals(run);

  let exitCode = await exitCodeOf(demo(run), run, explanations);
  setTimeout(() => process.exit(exitCode || 1), CLEAN_UP_LIMIT_MS).unref();
  await cleanUps.disposeAsync().catch((error: unknown) => {
    exitCode ||= 1;
    complain(error);
  });
  process.exit(exitCode);
}

function listenToSignals({ giveUp }: DemoRun): void {
  for (const signal of SIGNALS.keys()) process.on(signal, () => giveUp(new Failure(signal, `Stopped by ${signal}.`)));
  // The reader of the output has left, as `| head` does.
  for (const out of [process.stdout, process.stderr]) {
    out.on('error', () => giveUp(new Failure('SIGHUP', 'The output is not read any more.')));
  }
  const overdue = new Failure('too_slow', `The demo was not over after ${LIMIT_MS / 1000} s.`);
  setTimeout(() => giveUp(overdue), LIMIT_MS).unref();
}

async function exitCodeOf(demo: Promise<void>, { signal }: DemoRun, explanations: (() => string[])[]): Promise<number> {
  try {
    await Promise.race([demo, rejectedBy(signal)]);
    return 0;
  } catch (error) {
    const reason: unknown = signal.reason ?? error;
    const exitCode = SIGNALS.get(reason instanceof Failure ? reason.code : '') ?? 1;
    complain(reason, exitCode === 1 ? explanations.flatMap((explain) => explain()) : []);
    return exitCode;
  }
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

/** A failure of ours is a sentence; anything else is a bug, which its stack helps to find. */
function complain(error: unknown, explanation: string[] = []): void {
  const sentence = error instanceof Failure ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`\n\n  ${[sentence, ...explanation].join('\n  ')}\n`);
}
