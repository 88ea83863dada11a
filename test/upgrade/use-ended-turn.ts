import { sql } from 'kysely';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Installation } from './installation.ts';
import { list } from './read-answers.ts';
import { post } from './scenes/filling.ts';

/** A request about an ended turn, and the turn that ends after it: the same turn, or a fork or rerun of it. */
type Use = { scene: string; action: 'retry' | 'fork' | 'rerun'; body?: object };

/** The turn after a request, its model requests as `<round>.<generation>` with their roles, and its drafts. */
type Used = { turn: TurnResource; events: string[]; asked: Record<string, string[]>; drafts: number[] };

/** Retries, forks or reruns the ended turn of a scene, and works until the resulting turn has ended. */
export async function useEndedTurn(installation: Installation, { scene, action, body }: Use): Promise<Used> {
  const { main, harness } = installation;
  const turns = await list<TurnResource>({ main }, '/v1/turns');
  const ended = turns.find(({ metadata }) => metadata.scene === scene);
  const { id } = await post({ main }, `/v1/turns/${ended?.id}/${action}`, body);
  await harness.workUntilIdle();
  const requests = harness.modelRequests.map(({ headers, body: { messages } }) => ({
    name: String(headers['x-client-request-id']),
    roles: messages.map(({ role }) => role),
  }));
  const own = requests.filter(({ name }) => name.startsWith(`${id}.`));
  const rounds = sql<{ draft: number }>`select draft from rounds where turn_id = ${id} order by number`;
  return {
    turn: await main.findTurn(id),
    events: (await main.listEvents(id)).map(({ type }) => String(type)),
    asked: Object.fromEntries(own.map(({ name, roles }) => [name.slice(id.length + 1), roles])),
    drafts: (await rounds.execute(harness.db)).rows.map(({ draft }) => draft),
  };
}
