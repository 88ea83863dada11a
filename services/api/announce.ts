import type { Ring } from '#core/turn/ring.ts';
import type { ApiContext } from './context.ts';

/** What follows a commit: ring for what it owes, stop whoever works on turns it ended, wake whoever watches. */
export async function announce(
  { ring, live }: Pick<ApiContext, 'ring' | 'live'>,
  { rings, ended = [], changed = [] }: { rings: Ring[]; ended?: string[]; changed?: string[] },
): Promise<void> {
  for (const turnId of ended) live.tellWorkers({ kind: 'cancelled', turnId });
  for (const turnId of [...ended, ...changed]) live.tellWatchers({ kind: 'wake', turnId });
  if (rings.length > 0) await ring(rings);
}
