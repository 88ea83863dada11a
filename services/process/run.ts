import { explainConnectionLimit } from '#core/connection-limit.ts';
import { Misconfigured } from '#core/failure.ts';
import { isSchemaFault } from '#core/postgres/refusal.ts';
import { isTransient } from '#core/postgres/retry-transient.ts';
import { type Log, openLog } from './log.ts';
import { unknownVariables } from './settings/unknown-variables.ts';
import { loadEnvFile, readSettings, type Settings } from './settings.ts';

/** A part of Pawl that runs until it is closed. `lost` resolves with the reason if the part cannot continue. */
export type Running = {
  close(graceMs: number): Promise<void>;
  /** Reads the settings that can change without a restart. */
  reload?(): void;
  lost?: Promise<Error>;
};

type Open = (settings: Settings, log: Log) => Promise<Running>;

const LAST_RESORT_MS = 10_000;

/** Under npm, one Ctrl-C arrives twice: from the terminal and from npm. */
const SAME_KEYSTROKE_MS = 1_000;

/**
 * Runs a part as a process. The first signal closes it gracefully. A second signal or an overdue close ends it at
 * once. An invalid setting ends the start with a sentence, without a stack.
 */
export async function runProcess(part: string, open: Open): Promise<void> {
  let variable = 'DATABASE_URL';
  try {
    const envFile = loadEnvFile();
    const settings = readSettings();
    if (settings.DATABASE_DIRECT_URL) variable = 'DATABASE_URL or DATABASE_DIRECT_URL';
    const log = openLog(part, settings.PAWL_LOG_LEVEL, settings.PAWL_LOG_FORMAT);
    if (envFile.added.length > 0) log.info({ variables: envFile.added }, `settings were read from ${envFile.path}`);
    for (const sentence of unknownVariables(settings)) log.warn(sentence);
    surviveLostConnections(log);
    const reloadOnSignal = holdReloads(settings);
    const running = await open(settings, log);
    closeOnSignal(running, settings, log);
    reloadOnSignal(running);
    void running.lost?.then((error) => {
      log.fatal(explain(error, variable) ?? error.message);
      process.exit(1);
    });
  } catch (error) {
    const sentence = explain(error, variable);
    if (sentence === null) throw error;
    process.stderr.write(`${sentence}\n`);
    process.exit(1);
  }
}

/**
 * Ignores lost connections. At each connect, postgres.js reads the types of arrays. No caller can catch its failure
 * if the connect is cut off. Any other error ends the process.
 */
function surviveLostConnections(log: Log): void {
  process.on('unhandledRejection', (error) => {
    if (!isTransient(error)) throw error;
    log.debug({ reason: error.message }, 'the database closed a connection');
  });
}

/** Returns a sentence about a problem that the operator can correct in a `variable`, or null for other errors. */
function explain(error: unknown, variable: string): string | null {
  if (error instanceof Misconfigured) return error.message;
  const refusal = explainConnectionLimit(error);
  if (refusal) return refusal;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === '28P01' || code === '28000')
    return `PostgreSQL refused the user or password in ${variable}. Check both.`;
  if (code === '3D000') return `The database named in ${variable} does not exist. Create it first.`;
  if (code === '42704') return `PostgreSQL at ${variable} lacks a setting that Pawl needs. Use PostgreSQL 15 or newer.`;
  if (isSchemaFault(error))
    return `PostgreSQL at ${variable} refuses a statement (${code}). Check its schema, and the privileges of the role.`;
  if (!isTransient(error)) return null;
  if (WAITED_TOO_LONG.includes(code))
    return `A statement on PostgreSQL at ${variable} waited too long (${code}). Wait for other migrations and long transactions, then start again.`;
  if (code === '25006')
    return `PostgreSQL at ${variable} accepts no writes (25006). Promote a standby, or set default_transaction_read_only to off.`;
  if (error.message.startsWith('unsupported startup parameter')) return UNNAMED_POOLER;
  return `PostgreSQL at ${variable} cannot be reached (${code}). Check that it runs, and that host and port are right.`;
}

/** The SQLSTATEs of a lock timeout and of a statement timeout. */
const WAITED_TOO_LONG = ['55P03', '57014'];

const UNNAMED_POOLER =
  'DATABASE_URL refers to PgBouncer. Add pgbouncer=true, as in postgres://host:6432/pawl?pgbouncer=true.';

/**
 * Reloads the projects on SIGHUP. During the start, the reload waits for its end. On a terminal without
 * PAWL_PROJECTS, SIGHUP means that the terminal closes, and ends the process.
 */
function holdReloads({ PAWL_PROJECTS }: Settings): (running: Running) => void {
  if (PAWL_PROJECTS === undefined && process.stdout.isTTY) return () => {};
  let reload: (() => void) | undefined;
  let wasAsked = false;
  process.on('SIGHUP', () => {
    if (reload) reload();
    else wasAsked = true;
  });
  return (running) => {
    reload = () => running.reload?.();
    if (wasAsked) reload();
  };
}

function closeOnSignal(running: Running, settings: Settings, log: Log): void {
  const { PAWL_SHUTDOWN_GRACE_MS: graceMs, variables } = settings;
  let closingSince: number | null = null;
  const close = () => {
    if (closingSince !== null) {
      if (performance.now() - closingSince > SAME_KEYSTROKE_MS) process.exit(1);
      return;
    }
    closingSince = performance.now();
    log.info(
      { event: 'process.stopping' },
      `stopping: running work has ${graceMs / 1_000} s to finish. A second signal stops immediately`,
    );
    const end = (code: number, sentence: string) => {
      log[code === 0 ? 'info' : 'warn']({ event: 'process.stopped' }, sentence);
      process.exit(code);
    };
    setTimeout(end, graceMs + LAST_RESORT_MS, 1, 'stopped: shutdown took too long').unref();
    running.close(graceMs).then(
      () => end(0, 'stopped'),
      (err: unknown) => {
        log.error({ err }, 'shutdown failed');
        end(1, 'ended');
      },
    );
  };
  if (variables.npm_lifecycle_event) closeWithNpm(close);
  process.on('SIGTERM', close);
  process.on('SIGINT', close);
}

/** Closes this process when its parent ends, since a signal to npm ends npm and its shell, but is not passed on. */
function closeWithNpm(close: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    close();
  }, 1_000).unref();
}
