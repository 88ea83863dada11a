import { isPassing } from '#core/checkpoint/persist.ts';
import { Misconfigured } from '#core/failure.ts';
import { type Log, openLog } from './log.ts';
import { readSettings, type Settings } from './settings.ts';

/** A part of Pawl that runs until it is closed. */
export type Running = { close(graceMs: number): Promise<void> };

type Open = (settings: Settings, env: NodeJS.ProcessEnv, log: Log) => Promise<Running>;

const LAST_RESORT_MS = 10_000;

/** One Ctrl-C reaches us twice under npm: from the terminal, and passed on by npm. */
const SAME_KEYSTROKE_MS = 1_000;

/**
 * Runs one part as a process: the first signal closes it in order, a second one or an overdue close ends it at once.
 * What is misconfigured is said in one sentence, without a stack.
 */
export async function runProcess(part: string, open: Open): Promise<void> {
  try {
    const settings = readSettings(process.env);
    const log = openLog(part, settings.PAWL_LOG_LEVEL);
    closeOnSignal(await open(settings, process.env, log), settings.PAWL_SHUTDOWN_GRACE_MS);
  } catch (error) {
    const sentence = explain(error);
    if (sentence === null) throw error;
    process.stderr.write(`${sentence}\n`);
    process.exit(1);
  }
}

/** What the operator can mend, in a sentence; null for what only a stack explains. */
function explain(error: unknown): string | null {
  if (error instanceof Misconfigured) return error.message;
  if (!isPassing(error)) return null;
  return 'PostgreSQL at DATABASE_URL cannot be reached. Check that it runs, and that host, port and password are right.';
}

function closeOnSignal(running: Running, graceMs: number): void {
  let closingSince: number | null = null;
  const close = () => {
    if (closingSince !== null) {
      if (performance.now() - closingSince > SAME_KEYSTROKE_MS) process.exit(1);
      return;
    }
    closingSince = performance.now();
    setTimeout(() => process.exit(1), graceMs + LAST_RESORT_MS).unref();
    running.close(graceMs).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', close);
  process.on('SIGINT', close);
}
