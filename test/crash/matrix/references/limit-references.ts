import { sql } from 'kysely';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { scripted } from '#test/harness/scripted.ts';
import type { Scene } from '../lane.ts';
import type { Reference } from './reference.ts';

const limited = (limits: Record<string, number>) => ({ PAWL_PROVIDER_LIMITS: JSON.stringify({ 'openai/*': limits }) });

/** Turns under limits of their provider. */
export const limitReferences: Reference[] = [
  {
    of: 'a turn of two rounds, under a limit of one request at once',
    points: /bookRequest|correctBooking|takeLease|r[12] #[12]$/,
    model: 'openai/test',
    env: limited({ requests_per_minute: 1_000, tokens_per_minute: 1_000_000, concurrency: 1 }),
    start: ({ startTurn }) =>
      startTurn({
        tools: ['look'],
        input: scripted({ rounds: [{ tools: [{ name: 'look', arguments: { url: '' } }] }], answer: 'Done.' }),
      }),
  },
  {
    of: 'a turn that waits under a limit and is enqueued again',
    // Workers check the waiting turns by the clock.
    points: /bookUnder|postponeStep|wakeWaiting › wake #1$/,
    model: 'openai/test',
    env: limited({ requests_per_minute: 1 }),
    start: async ({ harness, startTurn }) => {
      await sql`insert into provider_limits (name, requests)
        select 'openai/*', json_build_object(floor(extract(epoch from now()) * 4)::bigint, 1)
        on conflict (name) do update set requests = excluded.requests`.execute(harness.db);
      await startTurn({ input: 'Hi' });
    },
    react: makeRoom,
  },
];

/** Lets the minute pass. If the worker of a turn has died, the rescuer finds the turn. */
async function makeRoom({ harness }: Scene, { waiting }: TurnResource): Promise<boolean> {
  if (waiting?.for !== 'provider') return false;
  await sql`update provider_limits set requests = '{}'`.execute(harness.db);
  return true;
}
