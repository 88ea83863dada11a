import type { Entry } from './contender.ts';
import type { Ground } from './ground/open-ground.ts';
import { type Figures, measure, type Play } from './measure.ts';
import type { Work } from './work.ts';

/** What a contender plays, how, and on which database; without one it gets an empty one of its own. */
export type Trial = { work: Work; play: Play; databaseUrl?: string };

/** Opens a contender on an empty Redis, measures it and closes it, whatever happens. */
export async function measureEntry(entry: Entry, ground: Ground, { work, play, ...given }: Trial): Promise<Figures> {
  await ground.redis?.clear();
  const databaseUrl = given.databaseUrl ?? (await ground.postgres.freshDatabase());
  const contender = await entry.open({ ground, databaseUrl, work });
  try {
    return await measure(contender, ground, play);
  } finally {
    await contender.close();
  }
}
