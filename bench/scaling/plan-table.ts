import { printTable } from '../report/print-table.ts';
import type { Costs } from '../simulation/deployment.ts';
import { type Demand, overheadOf, planFor, SMALL, simulateFull, usedBy } from './plan.ts';

const FACTORS = [1, 10, 100, 1_000];

/** What a small deployment bears, what each load needs, and what a million turns cost then. */
export function planTables(costs: Costs, today: Demand, price: number): string {
  const { apis, workers, places, redises, postgresCores } = SMALL;
  const redis = today.mode === 'redis' ? `, ${redises} Redis` : '';
  return [
    `A deployment of ${apis} APIs, ${workers} workers of ${places} places${redis} and PostgreSQL on ${postgresCores} cores, each process on a core`,
    `of its own; turns of ${today.rounds} rounds, each ${today.thinkMs / 1000} s of model. What is full at how many turns a second:`,
    limitsTable(costs, today),
    '',
    `What a load needs, so that nothing is busier than 60 %; a million turns at ${price} USD for an hour of a core:`,
    needsTable(costs, today, price),
  ].join('\n');
}

function limitsTable(costs: Costs, today: Demand): string {
  const usedByOne = usedBy(simulateFull(costs, today), { ...today, perSecond: 1 }, SMALL);
  const limits = Object.entries(usedByOne).map(([part, share]): [string, number] => [part, 1 / share]);
  const rows = limits.toSorted(([, one], [, other]) => one - other).map(([part, rate]) => [part, rate.toFixed(0)]);
  return printTable(['part', 'turns/s'], rows);
}

function needsTable(costs: Costs, today: Demand, price: number): string {
  const heads = [
    'turns/s',
    'workers',
    'APIs',
    'Redis',
    'PostgreSQL cores',
    'cores',
    'USD',
    'fullest',
    'over model p50',
    'p99',
  ];
  const rows = FACTORS.map((factor) => {
    const demand = { ...today, perSecond: factor * today.perSecond };
    const { size, used, cores, usdPerMillion, simulated } = planFor(costs, demand, price);
    const [[fullest, share] = ['', 0]] = Object.entries(used).toSorted(([, one], [, other]) => other - one);
    const { p50Ms, p99Ms } = overheadOf(simulated, demand);
    return [
      ...[demand.perSecond, size.workers, size.apis, size.redises, size.postgresCores, cores].map(String),
      usdPerMillion.toFixed(2),
      `${fullest} ${(100 * share).toFixed(0)} %`,
      ...[p50Ms, p99Ms].map((ms) => `${ms.toFixed(0)} ms`),
    ];
  });
  return printTable(heads, rows);
}
