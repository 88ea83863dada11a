import { expect, test } from 'vitest';
import type { Figures } from '../../bench/measure.ts';
import { calibrate, simulateMeasured } from '../../bench/simulation/calibrate.ts';
import type { Arrivals, Costs, Deployment } from '../../bench/simulation/deployment.ts';
import { simulate } from '../../bench/simulation/simulate.ts';

test('what a turn alone and turns in company cost tells what a batch and a piece of work cost', () => {
  const [alone, inCompany] = [1, 64].map((concurrency) => pointOf(COSTS, { kind: 'closed', turns: 60, concurrency }));

  const { costs } = calibrate(alone!, inCompany!);

  for (const name of ['worker', 'postgres', 'redis'] as const) {
    expect(costs[name].batchMs / COSTS[name].batchMs).toBeCloseTo(1, 0);
    expect(costs[name].itemMs / COSTS[name].itemMs).toBeCloseTo(1, 0);
  }
});

test('a machine on which threads waited as long as on one of half the speed is simulated as slow', () => {
  const arrivals: Arrivals = { kind: 'closed', turns: 60, concurrency: 1 };
  const slow = { ...DEPLOYMENT, machine: { kind: 'shared' as const, cores: 2, speed: 0.5 } };
  const { stretch, turnsPerSecond } = simulate(slow, COSTS, arrivals);

  const simulated = simulateMeasured({ ...pointOf(COSTS, arrivals), figures: figuresOf({ stretch }) }, COSTS);

  expect(simulated.turnsPerSecond / turnsPerSecond).toBeCloseTo(1, 1);
});

const COST = { batchMs: 0.4, itemMs: 0.2 };
const COSTS: Costs = { driver: COST, api: COST, worker: COST, postgres: COST, redis: COST, simulator: COST };
const DEPLOYMENT: Deployment = {
  ...{ mode: 'redis', rounds: 4, thinkMs: 0, apis: 1, workers: 1, places: 64, redises: 1 },
  ...{ networkMs: 0, fsyncMs: 1, machine: { kind: 'shared', cores: 2, speed: 1 } },
};

/** A measurement of what the simulation itself has played. */
function pointOf(costs: Costs, arrivals: Arrivals) {
  const { cpuMs, stretch } = simulate(DEPLOYMENT, costs, arrivals);
  return { deployment: DEPLOYMENT, arrivals, figures: figuresOf({ cpuMs, stretch }) };
}

function figuresOf(known: Partial<Figures>): Figures {
  const latency = { p50Ms: 0, p99Ms: 0 };
  const nothing = { turnsPerSecond: 0, loaded: latency, alone: null, cpuMs: {}, stretch: 1 };
  return { ...nothing, ...{ commits: 0, fsyncs: 0, walBytes: 0 }, ...known };
}
