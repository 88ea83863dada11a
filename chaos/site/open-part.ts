import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Program, startProgram } from '../../bench/ground/start-program.ts';
import type { Link } from '../proxy/link.ts';

/** One API or worker of the run, a process that comes back whenever it ends. */
export type Part = AsyncDisposable & {
  name: string;
  links: Links;
  pid(): number;
  /** Ends it with SIGKILL; it stays away until `start`. */
  kill(): Promise<void>;
  /** Asks it to end with SIGTERM and waits until it has; it stays away until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** The logs of all processes it has been, in order. */
  logFiles(): string[];
  /** Ends that nobody asked for, each with the last words of the process. */
  ownEnds: OwnEnd[];
};

export type OwnEnd = { at: number; lastWords: string };
export type Links = { postgres: Link; redis: Link | null };
export type PartWish = {
  name: string;
  service: 'api' | 'worker';
  env: Record<string, string>;
  folder: string;
  links: Links;
};

const READY = { api: /"api listens on ([^"]+)"/, worker: /worker ready/ };
const LOOK_MS = 150;
const PAUSE_MS = 300;
const START_LIMIT_MS = 40_000;

/** Starts a part; where its stores are away it tries again, as whatever runs containers does. */
export async function openPart(wish: PartWish): Promise<Part> {
  const state: State = { wish, logFiles: [], ownEnds: [], running: undefined, starting: undefined, isWanted: false };
  await start(state);
  const watch = setInterval(() => void restartIfEnded(state).catch(() => {}), LOOK_MS);
  return {
    name: wish.name,
    links: wish.links,
    pid: () => state.running?.pid ?? 0,
    kill: () => end(state, 'SIGKILL'),
    stop: () => end(state, 'SIGTERM'),
    start: () => start(state),
    logFiles: () => [...state.logFiles],
    ownEnds: state.ownEnds,
    [Symbol.asyncDispose]: async () => {
      clearInterval(watch);
      await end(state, 'SIGKILL');
    },
  };
}

type State = Pick<Part, 'ownEnds'> & {
  wish: PartWish;
  logFiles: string[];
  running: Program | undefined;
  starting: Promise<void> | undefined;
  isWanted: boolean;
};

function start(state: State): Promise<void> {
  state.starting ??= startUntilUp(state).finally(() => {
    state.starting = undefined;
  });
  return state.starting;
}

async function startUntilUp(state: State): Promise<void> {
  state.isWanted = true;
  const deadline = performance.now() + START_LIMIT_MS;
  while (state.isWanted && !state.running) {
    state.running = await launch(state).catch((error: unknown) => {
      if (performance.now() > deadline) throw error;
      return undefined;
    });
    if (!state.running) await sleep(PAUSE_MS);
  }
}

async function end(state: State, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  state.isWanted = false;
  await state.starting?.catch(() => {});
  const ending = state.running;
  state.running = undefined;
  if (!ending) return;
  if (signal === 'SIGKILL' && isAlive(ending.pid)) process.kill(ending.pid, 'SIGKILL');
  await ending.stop();
}

async function restartIfEnded(state: State): Promise<void> {
  const { running, isWanted, ownEnds, logFiles } = state;
  if (!running || !isWanted || isAlive(running.pid)) return;
  state.running = undefined;
  await running.stop();
  ownEnds.push({ at: Date.now(), lastWords: (await readFile(logFiles.at(-1) ?? '', 'utf8')).slice(-2_000) });
  await start(state);
}

/** Each process writes into a folder of its own. */
async function launch({ wish, logFiles }: State): Promise<Program> {
  const { name, service, env, folder } = wish;
  const own = join(folder, `${name}.${logFiles.length + 1}`);
  await mkdir(own);
  logFiles.push(join(own, `${service}.log`));
  const nodeOptions = service === 'worker' ? ['--import', join(import.meta.dirname, 'skewed-clock.ts')] : [];
  return startProgram({ file: `services/${service}/main.ts`, nodeOptions, env, ready: READY[service], folder: own });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
