import type { ContenderSetup } from '../contender.ts';
import { pawl } from '../contenders/pawl.ts';
import type { Contest } from '../measure-entry.ts';
import type { Mode } from '../mode.ts';
import { openNetwork } from '../network/open-network.ts';
import type { Deployment } from '../simulation/deployment.ts';

/** A point of a curve: what is measured and, by the same words, simulated. */
export type CurvePoint = {
  name: string;
  /** The point that it is compared with. */
  reference: string;
  deployment: Deployment;
  contest: Omit<Contest, 'name'>;
};

/** What all points of one queue have in common. */
type Common = { mode: Mode; turns: number; concurrency: number; rounds: number; fsyncMs: number; cores: number };

/** How a point differs from the others. */
type Different = { concurrency?: number; networkMs?: number; databaseUrl?: string } & Partial<
  Pick<Deployment, 'thinkMs' | 'workers' | 'places'>
>;

/** Databases by the number of finished turns in them. */
export type OldDatabases = { finished: number; url: string }[];

const AT_ONCE = [10, 100, 1_000];
const WORKERS = [1, 2, 4];
const SLOW_MODEL = { thinkMs: 50, places: 4 };
const NETWORK_MS = [1, 5];
const DEFAULT_PLACES = 64;
/** The same for all: one turn at a time would run little code in much time. */
const WARM_UP = { turns: Number.MAX_SAFE_INTEGER, concurrency: 64, forMs: 8_000 };
const ALONE_SHARE = 4;

/** All curves of one queue. The first two points are a turn alone and turns in company, which the simulation is fed with. */
export function pointsOf(common: Common, old: OldDatabases): CurvePoint[] {
  const [alone, company] = ['1 turn at once', `${common.concurrency} turns at once`];
  const point = (name: string, reference: string, different: Different = {}): CurvePoint => ({
    ...{ name: `${common.mode}: ${name}`, reference: `${common.mode}: ${reference}` },
    ...build(common, different),
  });
  return [
    point(alone, company, { concurrency: 1 }),
    point(company, company),
    ...AT_ONCE.map((concurrency) => point(`${concurrency} turns at once`, company, { concurrency })),
    ...WORKERS.map((workers) => point(workerName(workers), workerName(1), { ...SLOW_MODEL, workers })),
    ...NETWORK_MS.flatMap((networkMs) => [
      point(`${alone}, ${networkMs} ms of network`, alone, { networkMs, concurrency: 1 }),
      point(`${company}, ${networkMs} ms of network`, company, { networkMs }),
    ]),
    ...old.map(({ finished, url }) =>
      point(`${company}, ${finished.toLocaleString('en')} finished`, company, { databaseUrl: url }),
    ),
  ];
}

function workerName(workers: number): string {
  return `${workers} worker${workers === 1 ? '' : 's'} of ${SLOW_MODEL.places} places, model of ${SLOW_MODEL.thinkMs} ms`;
}

function build(common: Common, different: Different): Pick<CurvePoint, 'deployment' | 'contest'> {
  const { mode, rounds, fsyncMs, cores } = common;
  const { databaseUrl, concurrency = common.concurrency, networkMs = 0, ...rest } = different;
  const deployment: Deployment = {
    ...{ mode, rounds, fsyncMs, networkMs, thinkMs: 0, apis: 1, workers: 1, places: DEFAULT_PLACES, redises: 1 },
    machine: { kind: 'shared', cores, speed: 1 },
    ...rest,
  };
  const turns = concurrency === 1 ? Math.ceil(common.turns / ALONE_SHARE) : Math.max(common.turns, 2 * concurrency);
  const contest = {
    entry: { name: 'pawl', kind: 'system' as const, mode, open: (setup: ContenderSetup) => open(setup, deployment) },
    work: { rounds, thinkMs: deployment.thinkMs },
    play: {
      turns,
      concurrency,
      alone: 0,
      warmUp: WARM_UP,
    },
    ...(databaseUrl ? { databaseUrl } : {}),
  };
  return { deployment, contest };
}

async function open(setup: ContenderSetup, { mode, networkMs, workers, places }: Deployment) {
  const parts = ['api' as const, ...Array.from({ length: workers }, () => 'worker' as const)];
  const how = { parts, env: { PAWL_WORKER_CONCURRENCY: String(places) } };
  if (networkMs === 0) return pawl(setup, mode, how);

  const network = await openNetwork(setup.harness, setup.databaseUrl, networkMs);
  const { harness, databaseUrl } = network;
  const contender = await pawl({ ...setup, harness, databaseUrl }, mode, how);
  const close = () => contender.close().finally(network.close);
  return { ...contender, pids: { ...contender.pids, network: network.pid }, close };
}
