import type { Mode } from '../mode.ts';
import type { Costs, Deployment, ProgramName } from '../simulation/deployment.ts';
import { type Simulated, simulate } from '../simulation/simulate.ts';

/** A load to plan for: turns a second, of so many rounds, and how long the model thinks in each. */
export type Demand = { perSecond: number; mode: Mode; rounds: number; thinkMs: number; fsyncMs: number };

/** How many of what, how much of it is used at that load, and what it costs. */
export type Plan = {
  size: Size;
  /** Of the busiest process of a name, or of all places, from 0 to 1; above it more comes than can be done. */
  used: Record<string, number>;
  cores: number;
  usdPerMillion: number;
  /** That deployment at that load. */
  simulated: Simulated;
};

/** Today's deployment, whose limits are looked for. */
export const SMALL = { apis: 2, workers: 2, places: 64, redises: 1, postgresCores: 4 };
export type Size = typeof SMALL;

/** No process is planned to be busier than this; above it waiting grows fast. */
const MOST_BUSY = 0.6;
/** Of one worker: with 500 steps under way one takes 200 MB (docs/performance.md). */
const MOST_PLACES = 512;
/** One of two may die. */
const LEAST_OF_PAWL = 2;
const LEAST_OF_POSTGRES = 2;
const NETWORK_MS = 0.25;
const SIMULATED_THINK_MS = 100;
const TURNS = 1_000;
/** More are simulated in parts. */
const MOST_PER_SECOND = 1_000;
const PASSES = 2;

/** The share of each part of a deployment of that size that the load takes. */
export function usedBy({ cpuMs, batches }: Simulated, demand: Demand, size: Size): Record<string, number> {
  const load = (name: ProgramName, cores: number) => (demand.perSecond * (cpuMs[name] ?? 0)) / 1000 / cores;
  return {
    places: (demand.perSecond * placeSeconds(demand)) / (size.workers * size.places),
    worker: load('worker', size.workers),
    api: load('api', size.apis),
    postgres: load('postgres', size.postgresCores),
    ...((batches.redis ?? 0) > 0 ? { redis: load('redis', size.redises) } : {}),
  };
}

/**
 * What a load needs, so that nothing is busier than it should be. What a turn costs depends on how much comes together, so
 * the deployment is simulated and planned anew.
 */
export function planFor(costs: Costs, demand: Demand, price: number): Plan {
  let simulated = simulateFull(costs, demand);
  let size = sizeFor(simulated, demand);
  for (let pass = 0; pass < PASSES; pass += 1) {
    simulated = simulateLoaded(costs, demand, size);
    size = sizeFor(simulated, demand);
  }
  const cores = size.apis + size.workers + size.redises + size.postgresCores;
  const hoursForAMillion = 1_000_000 / demand.perSecond / 3_600;
  return {
    size,
    used: usedBy(simulated, demand, size),
    cores,
    usdPerMillion: cores * hoursForAMillion * price,
    simulated,
  };
}

function sizeFor(simulated: Simulated, demand: Demand): Size {
  const one = usedBy(simulated, demand, { apis: 1, workers: 1, places: MOST_PLACES, redises: 1, postgresCores: 1 });
  const many = (name: string, least: number) => Math.max(least, Math.ceil((one[name] ?? 0) / MOST_BUSY));
  return {
    apis: many('api', LEAST_OF_PAWL),
    workers: Math.max(many('worker', LEAST_OF_PAWL), many('places', LEAST_OF_PAWL)),
    places: MOST_PLACES,
    redises: demand.mode === 'redis' ? many('redis', 1) : 0,
    postgresCores: many('postgres', LEAST_OF_POSTGRES),
  };
}

/** A small deployment that has all it can do: what a turn costs at the least. */
export function simulateFull(costs: Costs, demand: Demand): Simulated {
  const deployment = deploymentOf(demand, { ...SMALL, places: MOST_PLACES });
  return simulate(deployment, costs, { kind: 'closed', turns: TURNS, concurrency: MOST_PLACES });
}

/** Above what is simulated, as many of everything have as much to do each: a tenth of the load on a tenth of the size. */
function simulateLoaded(costs: Costs, demand: Demand, size: Size): Simulated {
  const parts = Math.ceil(demand.perSecond / MOST_PER_SECOND);
  const share = (count: number) => Math.ceil(count / parts);
  const part: Size = {
    ...{ apis: share(size.apis), workers: share(size.workers), places: size.places },
    ...{ redises: share(size.redises), postgresCores: share(size.postgresCores) },
  };
  const perSecond = demand.perSecond / parts;
  return simulate(deploymentOf(demand, part), costs, { kind: 'open', turns: TURNS, perSecond });
}

/** Machines of their own, near each other. The model's time makes no work: it is counted in places, and simulated short. */
function deploymentOf({ mode, rounds, fsyncMs }: Demand, { postgresCores, ...size }: Size): Deployment {
  const machine = { kind: 'separate' as const, postgresCores };
  return { mode, rounds, fsyncMs, thinkMs: SIMULATED_THINK_MS, networkMs: NETWORK_MS, ...size, machine };
}

/** How much longer than its model turns take, milliseconds. */
export function overheadOf({ p50Ms, p99Ms }: Simulated, { rounds }: Demand): { p50Ms: number; p99Ms: number } {
  const modelMs = rounds * SIMULATED_THINK_MS;
  return { p50Ms: p50Ms - modelMs, p99Ms: p99Ms - modelMs };
}

function placeSeconds({ rounds, thinkMs }: Demand): number {
  return (rounds * thinkMs) / 1000;
}
