import { sql } from 'kysely';
import { read } from '../../postgres/read-write.ts';
import type { AgentConfig, AgentLabel } from '../../turn/agents/agent.ts';
import type { AgentReference } from '../../turn/agents/agent-reference.ts';
import type { Db } from '../tables.ts';

/** An agent that a reference names, with the versions that it may mean. `label` is null if the agent lacks it. */
export type FoundAgent = {
  id: string;
  name: string;
  /** The current version. */
  version: number;
  label: AgentLabel | null;
  versions: { version: number; config: AgentConfig }[];
};

/**
 * Finds the agents of a project that references name, by name or id, in one statement and in the order of the
 * references. Undefined for an agent that does not exist or is deleted.
 */
export async function findAgents(
  db: Db,
  project: string,
  references: AgentReference[],
): Promise<(FoundAgent | undefined)[]> {
  const asked = references.map((reference, place) => ({ ...reference, place }));
  const query = sql<FoundAgent & { place: number }>`
    select asked.place, agents.id, agents.name, agents.version, agents.labels -> asked.label as label, (
        select coalesce(json_agg(json_build_object('version', known.version, 'config', known.config)), '[]')
        from agent_versions as known where known.agent_id = agents.id and case
          when asked.version is not null then known.version = asked.version
          when asked.label is null then known.version = agents.version
          else known.version = (agents.labels -> asked.label ->> 'version')::int
            or (agents.labels -> asked.label -> 'versions' -> known.version::text) is not null end) as versions
    from json_to_recordset(${asked}::json) as asked (place int, name text, version int, label text)
    cross join lateral (
      select * from agents where project = ${project} and deleted_at is null and (id = asked.name or agents.name = asked.name)
      order by id = asked.name desc limit 1) as agents`;
  const rows = await read(db, query);
  return references.map((_, index) => rows.find(({ place }) => place === index));
}
