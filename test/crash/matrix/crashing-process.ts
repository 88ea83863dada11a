import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Part = 'api' | 'worker';

/**
 * How a process opens: the point at which it dies (or null), its queue, and its projects. The queue may refuse its
 * first jobs, or carry each step.
 */
export type Orders = {
  crashAt: string | null;
  env: Record<string, string>;
  queueRefuses: boolean;
  queuesSteps: boolean;
  projects: string[];
};

export type ToProcess = ({ kind: 'open' } & Orders) | { kind: 'report' };

export type FromProcess = { kind: 'ready' } | { kind: 'open'; url: string } | { kind: 'crossed'; crossed: string[] };

/** A process that will be killed. `died` resolves after its end. */
export type CrashingProcess = {
  died: Promise<void>;
  isDead(): boolean;
  /** Resolves with its URL if it is an API, or null if it died before. */
  open(orders: Orders): Promise<string | null>;
  crossed(): Promise<string[]>;
  kill(): Promise<void>;
};

const MAIN = new URL('./crashing-process-main.ts', import.meta.url).pathname;
const CACHED_MODULES = new URL('./cached-modules.ts', import.meta.url).href;

/** Processes that have loaded all modules and opened no store, since loading takes longest. */
export type SpareProcesses = AsyncDisposable & { take(part: Part): Promise<CrashingProcess> };

/**
 * Keeps some processes of these parts ready. `practise` plays with the first process, which loads and compiles for
 * all.
 */
export async function keepSpareProcesses(
  parts: Part[],
  spares: number,
  practise: (first: CrashingProcess, part: Part) => Promise<unknown>,
): Promise<SpareProcesses> {
  const cache = await mkdtemp(join(tmpdir(), 'pawl-crash-'));
  const ready: Record<Part, Promise<CrashingProcess>[]> = { api: [], worker: [] };
  for (const part of parts) await practise(await startCrashingProcess(part, cache), part);

  return {
    take: (part) => {
      while (ready[part].length <= spares) ready[part].push(startCrashingProcess(part, cache));
      return ready[part].shift() ?? startCrashingProcess(part, cache);
    },
    [Symbol.asyncDispose]: async () => {
      for (const spare of Object.values(ready).flat()) await (await spare).kill();
      await rm(cache, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

async function startCrashingProcess(part: Part, cache: string): Promise<CrashingProcess> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE: cache, MODULES: join(cache, `${part}.modules`) };
  const child = fork(MAIN, [part], { env, execArgv: ['--import', CACHED_MODULES], serialization: 'json' });
  const died = once(child, 'exit').then(([code]) => {
    if (code) throw new Error(`a crashing process exited without a kill, with code ${code}`);
  });
  died.catch(() => {});
  // The caller awaits the answer or the death, so a message that cannot be sent is not a failure.
  const post = (message: ToProcess) => child.connected && child.send(message, () => {});
  await nextMessage(child, 'ready', died);
  return {
    died,
    isDead: () => child.exitCode !== null || child.signalCode !== null,
    open: async (orders) => {
      post({ kind: 'open', ...orders });
      return (await nextMessage(child, 'open', died))?.url ?? null;
    },
    crossed: async () => {
      post({ kind: 'report' });
      return (await nextMessage(child, 'crossed', died))?.crossed ?? [];
    },
    kill: async () => {
      child.kill('SIGKILL');
      await died;
    },
  };
}

/** Returns the next message of a kind, or null if the process dies first. */
async function nextMessage<Kind extends FromProcess['kind']>(
  child: ChildProcess,
  kind: Kind,
  died: Promise<void>,
): Promise<Extract<FromProcess, { kind: Kind }> | null> {
  const { promise, resolve } = Promise.withResolvers<Extract<FromProcess, { kind: Kind }>>();
  const receive = (message: FromProcess) => {
    if (message.kind === kind) resolve(message as Extract<FromProcess, { kind: Kind }>);
  };
  child.on('message', receive);
  const first = await Promise.race([promise, died.then(() => null)]);
  child.off('message', receive);
  return first;
}
