import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Part = 'api' | 'worker';

/** What a doomed process is told: where it dies, nowhere where `doom` is null, and whether its first rings are refused. */
export type Orders = { doom: string | null; env: Record<string, string>; queueRefuses: boolean };

export type ToDoomed = ({ kind: 'open' } & Orders) | { kind: 'tell' };

export type FromDoomed = { kind: 'ready' } | { kind: 'open'; url: string } | { kind: 'crossed'; crossed: string[] };

/** A process that will be killed. `died` resolves once it is gone. */
export type Doomed = {
  died: Promise<void>;
  isDead(): boolean;
  /** Resolves with the URL where it listens, if it is an API; null where it died on the way. */
  open(orders: Orders): Promise<string | null>;
  /** The points it has crossed. */
  crossed(): Promise<string[]>;
  kill(): Promise<void>;
};

const MAIN = new URL('./doomed-process.ts', import.meta.url).pathname;
const RECALL = new URL('./recall-modules.ts', import.meta.url).href;

/** Processes that have loaded everything and opened nothing, since loading takes longest. */
export type KeptDoomed = AsyncDisposable & { take(part: Part): Promise<Doomed> };

/** Keeps some processes of these parts ready. `practise` plays with the first, which loads and compiles for all. */
export async function keepDoomed(
  parts: Part[],
  spares: number,
  practise: (first: Doomed, part: Part) => Promise<unknown>,
): Promise<KeptDoomed> {
  const cache = await mkdtemp(join(tmpdir(), 'pawl-doomed-'));
  const ready: Record<Part, Promise<Doomed>[]> = { api: [], worker: [] };
  for (const part of parts) await practise(await startDoomed(part, cache), part);

  return {
    take: (part) => {
      while (ready[part].length <= spares) ready[part].push(startDoomed(part, cache));
      return ready[part].shift() ?? startDoomed(part, cache);
    },
    [Symbol.asyncDispose]: async () => {
      for (const doomed of Object.values(ready).flat()) await (await doomed).kill();
      await rm(cache, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
    },
  };
}

async function startDoomed(part: Part, cache: string): Promise<Doomed> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_COMPILE_CACHE: cache, MODULES: join(cache, `${part}.modules`) };
  const child = fork(MAIN, [part], { env, execArgv: ['--import', RECALL], serialization: 'json' });
  const died = once(child, 'exit').then(([code]) => {
    if (code) throw new Error(`a doomed process ended by itself with code ${code}`);
  });
  died.catch(() => {});
  // Its answer is awaited, or its death: a message that cannot be sent any more is no failure.
  const tell = (message: ToDoomed) => child.connected && child.send(message, () => {});
  await heard(child, 'ready', died);
  return {
    died,
    isDead: () => child.exitCode !== null || child.signalCode !== null,
    open: async (orders) => {
      tell({ kind: 'open', ...orders });
      return (await heard(child, 'open', died))?.url ?? null;
    },
    crossed: async () => {
      tell({ kind: 'tell' });
      return (await heard(child, 'crossed', died))?.crossed ?? [];
    },
    kill: async () => {
      child.kill('SIGKILL');
      await died;
    },
  };
}

/** The next message of a kind; null when the process dies first. */
async function heard<Kind extends FromDoomed['kind']>(
  child: ChildProcess,
  kind: Kind,
  died: Promise<void>,
): Promise<Extract<FromDoomed, { kind: Kind }> | null> {
  const { promise, resolve } = Promise.withResolvers<Extract<FromDoomed, { kind: Kind }>>();
  const hear = (message: FromDoomed) => {
    if (message.kind === kind) resolve(message as Extract<FromDoomed, { kind: Kind }>);
  };
  child.on('message', hear);
  const first = await Promise.race([promise, died.then(() => null)]);
  child.off('message', hear);
  return first;
}
