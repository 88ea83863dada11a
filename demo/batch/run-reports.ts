import { connectPawl, type EndedTurn } from 'pawl/client';
import type { DemoRun } from '../run-to-end.ts';
import { reportRequest, SHOPS } from './shop-reports.ts';

/** Runs a turn for each shop, and returns the turns when all have ended. */
export async function runReports(apiUrl: string, tier: 'batch' | undefined, { signal }: DemoRun): Promise<EndedTurn[]> {
  const pawl = connectPawl({ baseUrl: apiUrl });
  const turns = await Promise.all(SHOPS.map((shop) => pawl.turns.start(reportRequest(shop, tier), { signal })));
  return Promise.all(turns.map((turn) => turn.result({ signal })));
}
