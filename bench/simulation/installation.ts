import type { Activity, Clock, Wait } from './clock.ts';
import type { Costs, Deployment, ProgramName } from './deployment.ts';
import {
  type Cores,
  openCores,
  openGroups,
  openPlaces,
  openServer,
  openThread,
  type Places,
  type Program,
} from './stations.ts';

/** A process of Pawl's: its thread, and what it sends to PostgreSQL in groups. */
export type Member = { thread: Program; commit: Wait; read: Wait; job: Wait };

/** All that a turn meets. */
export type Installation = {
  driver: Program;
  apis: Member[];
  workers: Member[];
  places: Places;
  model: Program;
  /** Every program by what it is, and the cores it works on. */
  members: { name: ProgramName; program: Program; cores: Cores }[];
  count: { commits: number };
};

/** `packages/core/postgres/group-commit.ts` and `queue/postgres/patch-pool.ts`. */
const MOST_IN_A_GROUP = 64;
const MOST_JOBS_IN_A_STATEMENT = 32;
const MANY = 1_000;

/** Builds a deployment from what its programs cost. */
export function openInstallation(clock: Clock, deployment: Deployment, costs: Costs): Installation {
  const { machine } = deployment;
  const shared = machine.kind === 'shared' ? openCores(clock, { count: machine.cores, speed: machine.speed }) : null;
  const members: Installation['members'] = [];
  const add = (name: ProgramName, ofItsOwn: number, open: (cores: Cores) => Program) => {
    const cores = shared ?? openCores(clock, { count: ofItsOwn });
    const program = open(cores);
    members.push({ name, program, cores });
    return program;
  };
  const thread = (name: ProgramName) => add(name, 1, (cores) => openThread(clock, cores, costs[name]));
  const threads = (name: ProgramName, count: number) => Array.from({ length: count }, () => thread(name));

  const postgresCores = machine.kind === 'separate' ? machine.postgresCores : 0;
  const postgres = add('postgres', postgresCores, (cores) => openServer(cores, costs.postgres));
  const stores = { postgres, redises: deployment.mode === 'redis' ? threads('redis', deployment.redises) : [] };
  const count = { commits: 0 };
  const member = (name: 'api' | 'worker') => openMember(clock, deployment, { thread: thread(name), stores, count });
  return {
    // Apart from the benchmark, callers and models are many.
    driver: shared ? thread('driver') : add('driver', MANY, (cores) => openServer(cores, costs.driver)),
    model: add('simulator', MANY, (cores) => openServer(cores, costs.simulator)),
    apis: Array.from({ length: deployment.apis }, () => member('api')),
    workers: Array.from({ length: deployment.workers }, () => member('worker')),
    places: openPlaces(deployment.workers, deployment.places),
    members,
    count,
  };
}

type Stores = { postgres: Program; redises: Program[] };
type Means = { thread: Program; stores: Stores; count: { commits: number } };

function openMember(clock: Clock, { networkMs, fsyncMs }: Deployment, { thread, stores, count }: Means): Member {
  const { postgres, redises } = stores;
  const asWait =
    (activity: (size: number) => Activity) =>
    (size: number): Wait =>
    (resume) =>
      clock.start(
        (function* () {
          yield* activity(size);
          resume();
        })(),
      );
  const ask = (program: Program, lastMs: number) =>
    asWait(function* (size) {
      yield clock.sleep(networkMs);
      yield program.run(size);
      yield clock.sleep(lastMs + networkMs);
    });
  const commit = openGroups(clock, MOST_IN_A_GROUP, (size) => {
    count.commits += 1;
    return ask(postgres, fsyncMs)(size);
  });
  const read = openGroups(clock, MOST_IN_A_GROUP, ask(postgres, 0));
  const jobs = openGroups(clock, MOST_JOBS_IN_A_STATEMENT, ask(postgres, 0));
  let next = 0;
  // Commands to Redis leave at once, one behind the other, and wait for nothing.
  const job: Wait = (resume) => {
    const redis = redises[next++ % redises.length];
    if (redis) ask(redis, 0)(1)(resume);
    else jobs(resume);
  };
  return { thread, commit, read, job };
}
