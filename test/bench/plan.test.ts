import { expect, test } from 'vitest';
import { type Demand, planFor, SMALL, simulateFull, usedBy } from '../../bench/scaling/plan.ts';
import type { Costs } from '../../bench/simulation/deployment.ts';

test('a plan is large enough for its load, with two of each where one would do, and costs its cores', () => {
  const [little, much] = [10, 1_000].map((perSecond) => planFor(COSTS, { ...DEMAND, perSecond }, 0.04));

  expect(little).toMatchObject({ size: { apis: 2, workers: 2, redises: 1, postgresCores: 2 }, cores: 7 });
  expect(little!.usdPerMillion).toBeCloseTo((7 * 0.04 * 100_000) / 3_600);
  for (const { used } of [little!, much!]) expect(Math.max(...Object.values(used))).toBeLessThan(0.75);
  expect(much!.size.workers * much!.size.places).toBeGreaterThan(1_000 * 4 * 2);
  expect(much!.usdPerMillion).toBeLessThan(little!.usdPerMillion);
});

test('a slow model fills the places long before the processors', () => {
  const used = usedBy(simulateFull(COSTS, DEMAND), DEMAND, SMALL);

  expect(used.places).toBeCloseTo((DEMAND.perSecond * 8) / 128);
  expect(used.worker).toBeLessThan(used.places ?? 0);
});

const COST = { batchMs: 0.05, itemMs: 0.1 };
const COSTS: Costs = { driver: COST, api: COST, worker: COST, postgres: COST, redis: COST, simulator: COST };
const DEMAND: Demand = { perSecond: 10, mode: 'redis', rounds: 4, thinkMs: 2_000, fsyncMs: 1 };
