import { type RawBuilder, sql } from 'kysely';
import { read, write } from '../../postgres/read-write.ts';
import type { Agent, AgentConfig, AgentLabel } from '../../turn/agents/agent.ts';
import type { Db, Trx } from '../tables.ts';

export type NewAgent = Pick<Agent, 'id' | 'project' | 'name' | 'config' | 'metadata'>;

/** Saves an agent with its first version. Returns false if the project has an agent of that name. */
export async function createAgent(trx: Trx, { id, project, name, config, metadata }: NewAgent): Promise<boolean> {
  const { rows } = await sql`
    with created as (
      insert into agents (id, project, name, metadata) values (${id}, ${project}, ${name}, ${metadata}::json)
      on conflict (project, name) where deleted_at is null do nothing returning id
    )
    insert into agent_versions (agent_id, version, config) select id, 1, ${config}::json from created returning agent_id`.execute(
    trx,
  );
  return rows.length > 0;
}

/** Locks an agent that is not deleted until the commit. Returns its current version, or undefined without an agent. */
export async function lockAgent(trx: Trx, { id }: Pick<Agent, 'id'>): Promise<number | undefined> {
  const { rows } = await sql<{ version: number }>`
    select version from agents where id = ${id} and deleted_at is null for update`.execute(trx);
  return rows[0]?.version;
}

/** Saves the next version of an agent that the caller has locked. */
export async function addVersion(trx: Trx, id: string, config: AgentConfig): Promise<void> {
  await sql`
    with changed as (update agents set version = version + 1 where id = ${id} returning version)
    insert into agent_versions (agent_id, version, config) select ${id}, version, ${config}::json from changed`.execute(
    trx,
  );
}

/** Replaces the metadata of an agent that the caller has locked. */
export async function setAgentMetadata(trx: Trx, id: string, metadata: Record<string, string>): Promise<void> {
  await sql`update agents set metadata = ${metadata}::json where id = ${id}`.execute(trx);
}

/** The result of setting a label. `missing` has the versions that the agent does not have. */
export type LabelSet = { kind: 'set' } | { kind: 'missing'; versions: number[] };

/** Sets a label of an agent that the caller has locked, if the agent has its versions. */
export async function setLabel(
  trx: Trx,
  id: string,
  { name, label }: { name: string; label: AgentLabel },
): Promise<LabelSet> {
  const versions = 'version' in label ? [label.version] : Object.keys(label.versions).map(Number);
  const { rows } = await sql<{ version: number }>`
    select version from agent_versions where agent_id = ${id}`.execute(trx);
  const known = new Set(rows.map(({ version }) => version));
  const missing = versions.filter((version) => !known.has(version));
  if (missing.length > 0) return { kind: 'missing', versions: missing };
  await sql`update agents set labels = (labels::jsonb || ${{ [name]: label }}::json::jsonb)::json where id = ${id}`.execute(
    trx,
  );
  return { kind: 'set' };
}

/** Removes a label of an agent that the caller has locked. Returns false if the agent does not have the label. */
export async function removeLabel(trx: Trx, id: string, name: string): Promise<boolean> {
  const { rows } = await sql`
    update agents set labels = (labels::jsonb - ${name}::text)::json where id = ${id} and labels -> ${name}::text is not null
    returning id`.execute(trx);
  return rows.length > 0;
}

/** Deletes an agent that the caller has locked. Its versions can still be read by its id. */
export async function deleteAgent(trx: Trx, { id }: Pick<Agent, 'id'>): Promise<void> {
  await sql`update agents set deleted_at = now() where id = ${id}`.execute(trx);
}

/**
 * Removes agents that were deleted two days ago or earlier, with their versions, if no turn ran with an agent of that
 * name. A request that has read the agent before its deletion has ended by then.
 */
export async function removeDeletedAgents(db: Db): Promise<void> {
  await write(
    db,
    sql`delete from agents where deleted_at < now() - interval '2 days' and not exists (
      select from turns where turns.project = agents.project and agent is not null
        and split_part(agent, '@', 1) = agents.name)`,
  );
}

/** The agent to find by `id` or name, and its version: the current version by default. */
export type AgentQuery = { idOrName: string; version?: number | undefined };

/** Finds an agent with a version. A deleted agent is only found by its id together with a version. */
export async function findAgent(
  db: Db,
  project: string,
  { idOrName, version }: AgentQuery,
): Promise<Agent | undefined> {
  const isKept = version === undefined ? sql`deleted_at is null` : sql`(deleted_at is null or agents.id = ${idOrName})`;
  const rows = await read(
    db,
    sql<Agent>`select ${columns} from ${withVersion(version)}
      where project = ${project} and ${isKept} and (agents.id = ${idOrName} or name = ${idOrName})
      order by agents.id = ${idOrName} desc limit 1`,
  );
  return rows[0];
}

/** The last id of the previous page, and the size of the page. */
export type AgentPage = { before?: string; limit: number };

/** Lists the agents of a project with their current versions, newest first. */
export async function listAgents(db: Db, project: string, { before, limit }: AgentPage): Promise<Agent[]> {
  const behind = before === undefined ? sql`` : sql`and agents.id < ${before}`;
  return read(
    db,
    sql<Agent>`select ${columns} from ${withVersion(undefined)}
      where project = ${project} and deleted_at is null ${behind} order by agents.id desc limit ${limit}`,
  );
}

/** Lists the versions of an agent, newest first. A deleted agent is found by its id. `before` is a version. */
export async function listVersions(
  db: Db,
  project: string,
  { idOrName, before, limit }: { idOrName: string; before?: number | undefined; limit: number },
): Promise<Agent[]> {
  const behind = before === undefined ? sql`` : sql`and known.version < ${before}`;
  return read(
    db,
    sql<Agent>`with agent as (
        select * from agents where project = ${project} and (id = ${idOrName} or (name = ${idOrName} and deleted_at is null))
        order by id = ${idOrName} desc limit 1)
      select ${columns} from agent as agents join agent_versions as known on known.agent_id = agents.id ${behind}
      order by known.version desc limit ${limit}`,
  );
}

const columns = sql`agents.id, agents.project, agents.name, known.version, agents.labels, known.config, agents.metadata,
  agents.created_at::text as "createdAt", known.created_at::text as "versionCreatedAt"`;

function withVersion(version: number | undefined): RawBuilder<unknown> {
  return sql`agents join agent_versions as known
    on known.agent_id = agents.id and known.version = ${version === undefined ? sql`agents.version` : version}`;
}
