import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BenchPostgres, openPostgres } from './open-postgres.ts';
import { type BenchRedis, openRedis } from './open-redis.ts';
import { openSimulator } from './open-simulator.ts';

/** What all contenders stand on: the stores, the model and a folder for whatever is written. */
export type Ground = AsyncDisposable & {
  folder: string;
  /** What has Node write a CPU profile of that name; nothing where none is wanted. */
  profiling(name: string): string[];
  postgres: BenchPostgres;
  /** Null where there is no Redis. */
  redis: BenchRedis | null;
  modelUrl: string;
  /** The processes of the ground, by name; `driver` is this one. */
  pids: Record<string, number>;
};

/** Opens the ground; disposing it stops every process by its id and removes the folder. */
export async function openGround({ profileFolder }: { profileFolder: string | undefined }): Promise<Ground> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pawl-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  const postgres = opened.use(await openPostgres(folder));
  const redis = opened.use(await openRedis(folder));
  const simulator = opened.use(await openSimulator(folder));

  const redisPid: Record<string, number> = redis?.pid ? { redis: redis.pid } : {};
  const pids = { postgres: postgres.pid, ...redisPid, simulator: simulator.pid, driver: process.pid };
  const closing = opened.move();
  const profiling = (name: string) =>
    profileFolder ? ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`, `--cpu-prof-name=${name}.cpuprofile`] : [];
  const ground = { folder, profiling, postgres, redis, modelUrl: simulator.baseUrl, pids };
  return { ...ground, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
