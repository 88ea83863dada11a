import { Misconfigured } from '#core/failure.ts';
import { type Log, openLog } from './log.ts';
import { readSettings, type Settings } from './settings.ts';

/** A part of Pawl that runs until it is closed. */
export type Running = { close(graceMs: number): Promise<void> };

type Open = (settings: Settings, env: NodeJS.ProcessEnv, log: Log) => Promise<Running>;

const LAST_RESORT_MS = 10_000;

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
    if (!(error instanceof Misconfigured)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

function closeOnSignal(running: Running, graceMs: number): void {
  let isClosing = false;
  const close = () => {
    if (isClosing) process.exit(1);
    isClosing = true;
    setTimeout(() => process.exit(1), graceMs + LAST_RESORT_MS).unref();
    running.close(graceMs).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', close);
  process.on('SIGINT', close);
}
