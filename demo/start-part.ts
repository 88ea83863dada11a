import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { Failure } from '#core/failure.ts';
import type { Stage } from './run-to-the-end.ts';

const LogLine = z.object({
  msg: z.string(),
  url: z.string().optional(),
  turn_id: z.string().optional(),
  round: z.int().optional(),
  attempt: z.int().optional(),
});

/** One line of a part's log, as far as the demo reads it. */
export type LogLine = z.output<typeof LogLine>;

/** A process of Pawl. `ready` resolves with the line that says so; `kill` with the moment the process is gone. */
export type Part = { name: string; pid: number; ready: Promise<LogLine>; kill(): Promise<void> };

const ROOT = join(import.meta.dirname, '..');
const KEPT_LINES = 5;

type Start = {
  name: string;
  script: string;
  env: Record<string, string>;
  isReady: (line: LogLine) => boolean;
  hear?: (line: LogLine, part: Pick<Part, 'name' | 'pid'>) => void;
};

/** Starts a part of Pawl as a process of its own, which ends with the show; ending earlier by itself ends the show. */
export function startPart({ name, script, env, isReady, hear }: Start, stage: Stage): Part {
  stage.signal.throwIfAborted();
  const child = spawn(
    process.execPath,
    ['--import', join(import.meta.dirname, 'end-with-parent.ts'), join(ROOT, script)],
    {
      cwd: ROOT,
      env: { ...inherited(), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Ctrl-C in a terminal reaches the whole foreground group; the demo ends its parts itself.
      detached: true,
    },
  );
  const expectEnd = failWhenItEnds(child, name, stage);
  // No grace, also at the end: what a part has not checkpointed goes with the folder anyway.
  const kill = async () => {
    expectEnd();
    child.kill('SIGKILL');
    await gone(child);
  };
  stage.atTheEnd(kill);
  const part = { name, pid: child.pid ?? 0 };
  const ready = Promise.withResolvers<LogLine>();
  hearLines(child, { name, stage }, (line) => {
    if (isReady(line)) ready.resolve(line);
    hear?.(line, part);
  });
  return { ...part, ready: ready.promise, kill };
}

/** Nothing else of ours: a DATABASE_URL or a REDIS_URL that happens to be set would lead the parts elsewhere. */
function inherited(): Record<string, string> {
  const { PATH = '', HOME = '/', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR ? { TMPDIR } : {}) };
}

/** Reads a part's log; its last lines explain a failure. */
function hearLines(
  { stdout }: ChildProcessByStdio<Writable, Readable, Readable>,
  { name, stage }: { name: string; stage: Stage },
  hear: (line: LogLine) => void,
): void {
  const lastLines: string[] = [];
  stage.ifItFails(() => lastLines.map((line) => `${name}: ${line}`));
  createInterface({ input: stdout }).on('line', (text) => {
    if (lastLines.push(text) > KEPT_LINES) lastLines.shift();
    const line = readLine(text);
    if (line) hear(line);
  });
}

function readLine(text: string): LogLine | undefined {
  try {
    return LogLine.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** The returned function says that the end is wanted. */
function failWhenItEnds(child: ChildProcess, name: string, { giveUp, signal }: Stage): () => void {
  let isWanted = false;
  let complaint = '';
  child.stderr?.on('data', (piece) => {
    complaint = `${complaint}${piece}`.slice(-2_000);
  });
  child.on('error', (error) => giveUp(new Failure('part_failed', `${name} could not be started: ${error.message}`)));
  child.on('close', (code, killedBy) => {
    if (isWanted || signal.aborted) return;
    giveUp(new Failure('part_failed', `${name} has ended by itself (${killedBy ?? code}). ${complaint}`.trimEnd()));
  });
  return () => {
    isWanted = true;
  };
}

async function gone(child: ChildProcess): Promise<void> {
  const isGone = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  if (!isGone) await once(child, 'exit');
}
