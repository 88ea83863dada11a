import { percentile } from '../percentile.ts';
import { type Activity, type Clock, openClock } from './clock.ts';
import type { Arrivals, Costs, Deployment, ProgramName } from './deployment.ts';
import { type Installation, type Member, openInstallation } from './installation.ts';
import { openRandom } from './random.ts';
import { walkTurn } from './walk-turn.ts';

/** What a simulation says; all but rates and times is for one turn. */
export type Simulated = {
  turnsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuMs: Record<string, number>;
  commits: number;
  /** How often each program worked, and on how many pieces. */
  batches: Record<string, number>;
  items: Record<string, number>;
  /** How much of the time the busiest process of a name works, from 0 to 1; of PostgreSQL: of its cores. */
  busy: Record<string, number>;
  /** Time that work took, with its waiting for a core, for a millisecond of it. */
  stretch: number;
};

/** Plays the turns through a deployment. The same arguments have the same result. */
export function simulate(deployment: Deployment, costs: Costs, arrivals: Arrivals): Simulated {
  const clock = openClock();
  const installation = openInstallation(clock, deployment, costs);
  const durationsMs: number[] = [];
  let nth = 0;
  function* play(): Activity {
    const from = clock.now();
    const api = installation.apis[nth++ % installation.apis.length] as Member;
    yield* walkTurn(clock, deployment, installation, api);
    durationsMs.push(clock.now() - from);
  }
  arrive(clock, play, arrivals);
  clock.run(() => durationsMs.length === arrivals.turns);
  return read(clock, { installation, durationsMs, deployment });
}

function arrive(clock: Clock, play: () => Activity, arrivals: Arrivals): void {
  if (arrivals.kind === 'open') {
    clock.start(arriveByChance(clock, play, arrivals));
    return;
  }
  let started = 0;
  function* playOneByOne(): Activity {
    while (started++ < arrivals.turns) yield* play();
  }
  for (let place = 0; place < arrivals.concurrency; place += 1) clock.start(playOneByOne());
}

function* arriveByChance(clock: Clock, play: () => Activity, arrivals: { turns: number; perSecond: number }): Activity {
  const random = openRandom(1);
  for (let turn = 0; turn < arrivals.turns; turn += 1) {
    yield clock.sleep(random.exponential(1000 / arrivals.perSecond));
    clock.start(play());
  }
}

type Played = { installation: Installation; durationsMs: number[]; deployment: Deployment };

function read(clock: Clock, { installation: { members, count }, durationsMs, deployment }: Played): Simulated {
  const turns = durationsMs.length;
  const sums = (of: (member: Installation['members'][number]) => number) => {
    const sum: Record<string, number> = {};
    for (const member of members) sum[member.name] = (sum[member.name] ?? 0) + of(member) / turns;
    return sum;
  };
  const all = [...new Set(members.map(({ cores }) => cores.used))];
  const [workedMs, waitedMs] = [all.map((used) => used.workedMs), all.map((used) => used.waitedMs)].map(total);
  const { machine } = deployment;
  const speed = machine.kind === 'shared' ? machine.speed : 1;
  return {
    turnsPerSecond: (turns / clock.now()) * 1000,
    ...{ p50Ms: percentile(durationsMs, 0.5), p99Ms: percentile(durationsMs, 0.99) },
    cpuMs: sums(({ program }) => program.used.workedMs),
    commits: count.commits / turns,
    batches: sums(({ program }) => program.used.batches),
    items: sums(({ program }) => program.used.items),
    busy: busyOf(members, clock.now(), machine),
    stretch: 1 / speed + (waitedMs ?? 0) / (workedMs || 1),
  };
}

function total(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function busyOf(members: Installation['members'], ms: number, machine: Deployment['machine']): Record<string, number> {
  const busy: Partial<Record<ProgramName, number>> = {};
  for (const { name, program } of members) {
    const cores = name === 'postgres' && machine.kind === 'separate' ? machine.postgresCores : 1;
    busy[name] = Math.max(busy[name] ?? 0, program.used.workedMs / ms / cores);
  }
  return busy;
}
