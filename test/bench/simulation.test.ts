import { describe, expect, test } from 'vitest';
import { type Activity, openClock, type Wait } from '../../bench/simulation/clock.ts';
import type { Costs, Deployment } from '../../bench/simulation/deployment.ts';
import { openRandom } from '../../bench/simulation/random.ts';
import { simulate } from '../../bench/simulation/simulate.ts';
import { openCores, openGroups, openPlaces, openThread } from '../../bench/simulation/stations.ts';

const JOBS = 100_000;

describe('cores with chance arrivals', () => {
  test.each([
    { cores: 1, load: 0.5 },
    { cores: 1, load: 0.8 },
    { cores: 2, load: 0.8 },
    { cores: 4, load: 0.9 },
  ])('$cores of them at a load of $load make work wait as long as Erlang says', ({ cores, load }) => {
    const meanMs = 1;

    const waitedMs = meanWait({ cores, meanMs, betweenMs: meanMs / (cores * load) });

    const expected = (erlangC(cores, cores * load) * meanMs) / (cores * (1 - load));
    expect(waitedMs / expected).toBeGreaterThan(0.93);
    expect(waitedMs / expected).toBeLessThan(1.07);
  });
});

test('a closed loop of few at one server has the throughput of mean-value analysis', () => {
  const [thinkMs, serviceMs, customers] = [10, 2, 8];

  const perMs = closedThroughput({ thinkMs, serviceMs, customers });

  expect(perMs / meanValueAnalysis({ thinkMs, serviceMs, customers })).toBeCloseTo(1, 1);
});

test('groups cost their common part once for all that wait', () => {
  const clock = openClock();
  const sizes: number[] = [];
  const join = openGroups(clock, 64, (size) => {
    sizes.push(size);
    return clock.sleep(5 + size);
  });
  let done = 0;
  for (let each = 0; each < 10; each += 1) clock.start(joinAgain(join, () => done++ < 1_000));

  clock.run();

  expect(sizes.slice(0, 3)).toEqual([10, 10, 10]);
  expect(clock.now()).toBeCloseTo((5 + 10) * (1_010 / 10), -2);
});

test('a group that is full does not wait for the one before it', () => {
  const clock = openClock();
  const join = openGroups(clock, 2, () => clock.sleep(10));
  for (let each = 0; each < 4; each += 1) clock.start(joinAgain(join, () => false));

  clock.run();

  expect(clock.now()).toBe(10);
});

test('a thread takes all that has come up, and half the speed takes twice as long', () => {
  const clock = openClock();
  const cores = openCores(clock, { count: 1, speed: 0.5 });
  const thread = openThread(clock, cores, { batchMs: 1, itemMs: 2 });
  for (let each = 0; each < 3; each += 1) clock.start(runOnce(thread.run()));

  clock.run();

  expect(thread.used).toEqual({ batches: 1, items: 3, workedMs: 7 });
  expect(clock.now()).toBe(14);
});

test('a job waits for a place, and gets that of the worker with most to spare', () => {
  const places = openPlaces(2, 1);
  const asked = [places.ask(), places.ask(), places.ask()];
  for (const { wait } of asked) wait(() => {});

  places.give(1);

  expect(asked.map(({ worker }) => worker)).toEqual([0, 1, 1]);
});

describe('a whole turn', () => {
  test('alone takes the sum of all it goes through', () => {
    const { p50Ms, commits } = simulate(DEPLOYMENT, COSTS, { kind: 'closed', turns: 20, concurrency: 1 });

    const [storeTrips, modelMs] = [9 + 1 + 10 + 1, 4 * DEPLOYMENT.thinkMs];
    expect(commits).toBe(9);
    expect(p50Ms).toBeGreaterThan(modelMs + storeTrips * 2 * DEPLOYMENT.networkMs + 9 * DEPLOYMENT.fsyncMs);
    expect(p50Ms).toBeLessThan(modelMs + storeTrips * 2 * DEPLOYMENT.networkMs + 9 * DEPLOYMENT.fsyncMs + 20);
  });

  test('in company is bound by the places: twice the workers, twice the turns', () => {
    const few = { ...DEPLOYMENT, places: 4 };
    const load = { kind: 'closed', turns: 400, concurrency: 64 } as const;

    const [one, two] = [1, 2].map((workers) => simulate({ ...few, workers }, COSTS, load).turnsPerSecond);

    expect((two ?? 0) / (one ?? 1)).toBeCloseTo(2, 0);
  });

  test('in company is bound by the processor: a turn for each time its CPU fits the cores', () => {
    const load = { kind: 'closed', turns: 400, concurrency: 256 } as const;
    const small = { ...DEPLOYMENT, thinkMs: 0, networkMs: 0, fsyncMs: 0, places: 256 };

    const { turnsPerSecond, cpuMs } = simulate(small, COSTS, load);

    const whole = Object.values(cpuMs).reduce((sum, ms) => sum + ms, 0);
    expect(turnsPerSecond).toBeLessThanOrEqual(2_000 / whole);
    expect(turnsPerSecond).toBeGreaterThan(0.8 * (2_000 / whole));
  });

  test('arrives by chance as often as it was asked for, and the busiest process is what its work says', () => {
    const machine = { kind: 'separate', postgresCores: 4 } as const;
    const load = { kind: 'open', turns: 1_500, perSecond: 100 } as const;

    const { turnsPerSecond, busy, cpuMs } = simulate({ ...DEPLOYMENT, machine, places: 512 }, COSTS, load);

    expect(turnsPerSecond / 100).toBeCloseTo(1, 1);
    expect(busy.worker).toBeCloseTo((turnsPerSecond * (cpuMs.worker ?? 0)) / 1000, 2);
  });
});

const COST = { batchMs: 0.05, itemMs: 0.1 };
const COSTS: Costs = { driver: COST, api: COST, worker: COST, postgres: COST, redis: COST, simulator: COST };
const DEPLOYMENT: Deployment = {
  ...{ mode: 'redis', rounds: 4, thinkMs: 50, apis: 1, workers: 1, places: 64, redises: 1 },
  ...{ networkMs: 1, fsyncMs: 0.5, machine: { kind: 'shared', cores: 2, speed: 1 } },
};

function* runOnce(wait: Wait): Activity {
  yield wait;
}

function* joinAgain(join: Wait, again: () => boolean): Activity {
  do yield join;
  while (again());
}

function meanWait({ cores: count, meanMs, betweenMs }: { cores: number; meanMs: number; betweenMs: number }): number {
  const clock = openClock();
  const cores = openCores(clock, { count });
  const random = openRandom(7);
  function* arrive(): Activity {
    for (let job = 0; job < JOBS; job += 1) {
      yield clock.sleep(random.exponential(betweenMs));
      clock.start(runOnce(cores.use(random.exponential(meanMs))));
    }
  }
  clock.start(arrive());
  clock.run();
  return cores.used.waitedMs / JOBS;
}

/** The share of arrivals that have to wait where `offered` cores would be busy. */
function erlangC(cores: number, offered: number): number {
  let blocked = 1;
  for (let core = 1; core <= cores; core += 1) blocked = (offered * blocked) / (core + offered * blocked);
  return blocked / (1 - (offered / cores) * (1 - blocked));
}

type Loop = { thinkMs: number; serviceMs: number; customers: number };

function closedThroughput({ thinkMs, serviceMs, customers }: Loop): number {
  const clock = openClock();
  const server = openCores(clock, { count: 1 });
  const random = openRandom(3);
  let served = 0;
  function* loop(): Activity {
    for (;;) {
      yield clock.sleep(random.exponential(thinkMs));
      yield server.use(random.exponential(serviceMs));
      served += 1;
    }
  }
  for (let customer = 0; customer < customers; customer += 1) clock.start(loop());
  clock.run(() => served === 100_000);
  return served / clock.now();
}

function meanValueAnalysis({ thinkMs, serviceMs, customers }: Loop): number {
  let [queue, throughput] = [0, 0];
  for (let customer = 1; customer <= customers; customer += 1) {
    const responseMs = serviceMs * (1 + queue);
    throughput = customer / (thinkMs + responseMs);
    queue = throughput * responseMs;
  }
  return throughput;
}
