import { Failure } from '#core/failure.ts';

/** The demo's access to its process. */
export type DemoRun = {
  /** Aborted if the run must stop at once. The reason is a sentence for the reader. */
  signal: AbortSignal;
  /** Adds a clean-up for any end of the run. The last added clean-up runs first. */
  atTheEnd(cleanUp: () => unknown): void;
  /** Adds lines below the message of a failure. */
  ifItFails(explain: () => string[]): void;
  /** Ends the run for a failure that another part notices. */
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
 * Runs the demo, cleans up after it, and ends the process. The exit code is 0, or 1 with a message for a failure or
 * after 180 s. After a signal it is the shell's usual number. Ignores later signals, since npm passes on a Ctrl-C
 * that the terminal has already sent.
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
  // The reader has closed the output, as `| head` does.
  for (const out of [process.stdout, process.stderr]) {
    out.on('error', () => giveUp(new Failure('SIGHUP', 'The reader of the output has ended.')));
  }
  const overdue = new Failure('too_slow', `The demo did not end within ${LIMIT_MS / 1000} s.`);
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

/** Writes a failure of Pawl as a sentence. Writes any other error with its stack, since it is a bug. */
function complain(error: unknown, explanation: string[] = []): void {
  const sentence = error instanceof Failure ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`\n\n  ${[sentence, ...explanation].join('\n  ')}\n`);
}
