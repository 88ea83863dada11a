import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPart } from './start-part.ts';
import type { Program } from './start-program.ts';

/** An API or a worker that restarts whenever it ends, as under a supervisor. */
export type SupervisedPart = AsyncDisposable & {
  name: string;
  pid(): number;
  /** Ends it with SIGKILL. It stays down until `start`. */
  kill(): Promise<void>;
  /** Ends it with SIGTERM and waits for its end. It stays down until `start`. */
  stop(): Promise<void>;
  /** Starts it, with more variables in its environment. */
  start(env?: Record<string, string>): Promise<void>;
  /** Returns the logs of all its processes, in order. */
  logFiles(): string[];
  /** Ends that were not requested, each with the last output of the process. */
  ownEnds: OwnEnd[];
};

export type OwnEnd = { at: number; lastWords: string };
export type SupervisedPartOptions = {
  name: string;
  service: 'api' | 'worker';
  env: Record<string, string>;
  folder: string;
};

const CHECK_MS = 150;
const PAUSE_MS = 300;
const START_LIMIT_MS = 40_000;

/** Starts a part. If its stores are down it tries again, as a supervisor of containers does. */
export async function openSupervisedPart(options: SupervisedPartOptions): Promise<SupervisedPart> {
  const state: State = {
    options,
    logFiles: [],
    ownEnds: [],
    running: undefined,
    starting: undefined,
    isWanted: false,
    more: {},
  };
  await start(state);
  const supervision = setInterval(() => void restartIfEnded(state).catch(() => {}), CHECK_MS);
  return {
    name: options.name,
    pid: () => state.running?.pid ?? 0,
    kill: () => end(state, 'SIGKILL'),
    stop: () => end(state, 'SIGTERM'),
    start: (env = {}) => {
      state.more = env;
      return start(state);
    },
    logFiles: () => [...state.logFiles],
    ownEnds: state.ownEnds,
    [Symbol.asyncDispose]: async () => {
      clearInterval(supervision);
      await end(state, 'SIGKILL');
    },
  };
}

type State = Pick<SupervisedPart, 'ownEnds'> & {
  options: SupervisedPartOptions;
  logFiles: string[];
  running: Program | undefined;
  starting: Promise<void> | undefined;
  isWanted: boolean;
  more: Record<string, string>;
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

/** Starts a process that writes into its own folder. */
async function launch({ options, logFiles, more }: State): Promise<Program> {
  const { name, service, env, folder } = options;
  const own = join(folder, `${name}.${logFiles.length + 1}`);
  await mkdir(own);
  const file = join(own, `${service}.log`);
  logFiles.push(file);
  const nodeOptions = ['--import', join(import.meta.dirname, 'skewed-clock.ts')];
  return startPart(service, { nodeOptions, env: { ...env, ...more }, output: { file } });
}

async function end(state: State, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  state.isWanted = false;
  await state.starting?.catch(() => {});
  const { running } = state;
  state.running = undefined;
  if (signal === 'SIGKILL') await running?.kill('SIGKILL');
  else await running?.stop();
}

async function restartIfEnded(state: State): Promise<void> {
  const { running, isWanted, ownEnds, logFiles } = state;
  if (!running || !isWanted || !running.hasEnded()) return;
  state.running = undefined;
  await running.ended;
  ownEnds.push({ at: Date.now(), lastWords: (await readFile(logFiles.at(-1) ?? '', 'utf8')).slice(-2_000) });
  await start(state);
}
