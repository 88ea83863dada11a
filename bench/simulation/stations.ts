import type { Clock, Wait } from './clock.ts';

/** Cores, taken in the order of asking; who has one keeps it until the work is done. */
export type Cores = {
  use(ms: number): Wait;
  /** Milliseconds of work that were done, as long as they take at full speed, and of waiting for a core. */
  used: { workedMs: number; waitedMs: number };
};

/** Opens `count` cores; at a speed of 0.5 all work takes twice as long. */
export function openCores(clock: Clock, { count, speed = 1 }: { count: number; speed?: number }): Cores {
  const waiting: (() => void)[] = [];
  const used = { workedMs: 0, waitedMs: 0 };
  let free = count;

  function work(ms: number, resume: () => void): void {
    free -= 1;
    used.workedMs += ms;
    clock.sleep(ms / speed)(() => {
      free += 1;
      waiting.shift()?.();
      resume();
    });
  }

  const use =
    (ms: number): Wait =>
    (resume) => {
      const from = clock.now();
      if (free > 0) return work(ms, resume);
      waiting.push(() => {
        used.waitedMs += clock.now() - from;
        work(ms, resume);
      });
    };
  return { use, used };
}

/** What a piece of work costs: what comes together has a part in common. */
export type Cost = { batchMs: number; itemMs: number };

/** A program that works; `used` counts what it did. */
export type Program = {
  run(items?: number): Wait;
  used: { batches: number; items: number; workedMs: number };
};

/** A program of one thread: each turn of its event loop takes all that has come up, and answers all of it at its end. */
export function openThread(clock: Clock, cores: Cores, cost: Cost): Program {
  const server = openServer(cores, cost);
  const loop = openGroups(clock, Number.POSITIVE_INFINITY, server.run);
  return { run: () => loop, used: server.used };
}

/** A program with a process for each request. */
export function openServer(cores: Cores, { batchMs, itemMs }: Cost): Program {
  const used = { batches: 0, items: 0, workedMs: 0 };
  const run =
    (items = 1): Wait =>
    (resume) => {
      const ms = batchMs + items * itemMs;
      used.batches += 1;
      used.items += items;
      used.workedMs += ms;
      cores.use(ms)(resume);
    };
  return { run, used };
}

/**
 * Whatever comes while a group is on its way goes with the next one; where so many wait that they fill one, it leaves at
 * once. All of a group are answered together.
 */
export function openGroups(clock: Clock, most: number, send: (size: number) => Wait): Wait {
  let waiting: (() => void)[] = [];
  let onTheirWay = 0;

  function leave(): void {
    while (waiting.length > 0 && (onTheirWay === 0 || waiting.length >= most)) {
      const group = waiting.slice(0, most);
      waiting = waiting.slice(most);
      onTheirWay += 1;
      send(group.length)(() => {
        onTheirWay -= 1;
        for (const resume of group) resume();
        clock.sleep(0)(leave);
      });
    }
  }

  return (resume) => {
    waiting.push(resume);
    if (waiting.length === 1) clock.sleep(0)(leave);
    else if (waiting.length >= most) leave();
  };
}

/** Places of several workers: a job gets one of the worker that has most to spare, jobs in the order of asking. */
export type Places = { ask(): { wait: Wait; worker: number }; give(worker: number): void };

/** Opens so many places in each of so many workers. */
export function openPlaces(workers: number, placesOfEach: number): Places {
  const free = Array.from({ length: workers }, () => placesOfEach);
  const waiting: ((worker: number) => void)[] = [];
  return {
    ask: () => {
      const place = {
        worker: -1,
        wait: (resume: () => void) => {
          const most = free.indexOf(Math.max(...free));
          const take = (worker: number) => {
            free[worker] = (free[worker] ?? 0) - 1;
            place.worker = worker;
            resume();
          };
          if ((free[most] ?? 0) > 0) take(most);
          else waiting.push(take);
        },
      };
      return place;
    },
    give: (worker) => {
      free[worker] = (free[worker] ?? 0) + 1;
      waiting.shift()?.(worker);
    },
  };
}
