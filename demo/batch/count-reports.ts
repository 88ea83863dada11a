import type { EndedTurn } from 'pawl/client';
import type { ToolRun } from '../journal.ts';
import { ROUNDS, SHOPS, TOOLS } from './shop-reports.ts';
import type { Watch } from './watch-batches.ts';

export type Count = { what: string; needed: number; times: number };

/** Counts from the sources: the stored turns, the provider and the tools. Costs are in dollars. */
export type ReportCounts = {
  rounds: Count;
  requests: Count & { distinct: number };
  batches: number;
  /** The requests of the turns that were sent without a batch. */
  direct: number;
  tools: Count[];
  costs: { direct: number; batch: number };
};

type Recorded = {
  turns: EndedTurn[];
  directTurns: EndedTurn[];
  batches: { id: string; sent: unknown }[][];
  direct: number;
  runs: ToolRun[];
};

/** Compares the needs of the stored turns with the recorded requests and runs. */
export function countReports({ turns, directTurns, batches, direct, runs }: Recorded): ReportCounts {
  const requests = batches.flat();
  const ids = new Set(requests.map(({ id }) => id));
  const bodies = new Set(requests.map(({ sent }) => JSON.stringify(sent)));
  const needed = SHOPS.length * ROUNDS;
  return {
    rounds: { what: 'rounds', needed, times: turns.reduce((sum, { rounds }) => sum + rounds.length, 0) },
    requests: {
      ...{ what: 'requests', needed, times: requests.length },
      distinct: Math.min(ids.size, bodies.size),
    },
    batches: batches.length,
    direct,
    tools: TOOLS.map((name) => ({
      ...{ what: name, needed: SHOPS.length },
      times: runs.filter(({ tool }) => tool === name).length,
    })),
    costs: { direct: costOf(directTurns), batch: costOf(turns) },
  };
}

/** Returns the cost of turns in dollars, or NaN if a cost is unknown. */
function costOf(turns: EndedTurn[]): number {
  return turns.reduce((sum, { usage }) => sum + (usage.cost_usd ?? Number.NaN), 0);
}

const SMALLEST_USD = 1e-9;

/** Returns a sentence for each promise that Pawl broke. */
export function brokenPromises(
  turns: EndedTurn[],
  { rounds, requests, direct, tools, costs }: ReportCounts,
  { killed, finder }: Watch,
): string[] {
  const failed = turns.filter(({ status }) => status !== 'completed');
  return [
    ...failed.map(({ id, status, error }) => `${id} is ${status}${error ? `: ${error.message}` : ''}.`),
    !killed && 'No worker was killed, since the turns never waited at the same time.',
    killed && !finder && 'No worker looked for the batch of the killed worker.',
    direct > 0 && `${direct} rounds by batch were asked directly.`,
    ...[rounds, requests, ...tools]
      .filter(({ needed, times }) => needed !== times)
      .map(({ what, needed, times }) => `${what}: ${times} were made, and ${needed} were needed.`),
    requests.distinct !== requests.times && 'The provider received a request twice.',
    !(Math.abs(costs.batch * 2 - costs.direct) < SMALLEST_USD) &&
      `The turns cost $${costs.batch} by batch and $${costs.direct} without batches.`,
  ].filter((sentence) => typeof sentence === 'string');
}
