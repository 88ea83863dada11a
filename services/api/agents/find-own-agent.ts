import { findAgent } from '#core/checkpoint/agents/agents.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { quote } from '#core/text.ts';
import type { Agent } from '#core/turn/agents/agent.ts';
import { AGENT_NAME } from '#core/turn/agents/agent-reference.ts';

/** The agent by its id or name, with a version: the current version by default. */
type Asked = { idOrName: string; version?: number | undefined };

/** Finds an agent of the project. A deleted agent is only found by its id together with a version. */
export async function findOwnAgent(db: Db, project: string, { idOrName, version }: Asked): Promise<Agent> {
  const agent = AGENT_NAME.test(idOrName) ? await findAgent(db, project, { idOrName, version }) : undefined;
  if (agent) return agent;
  throw agentNotFound(idOrName, version);
}

/** Finds an agent that a request has created, even if it was deleted since. */
export async function findCreated(db: Db, project: string, id: string): Promise<Agent> {
  return findOwnAgent(db, project, { idOrName: id, version: 1 });
}

export function agentNotFound(idOrName: string, version?: number): RequestRefused {
  const name = version === undefined ? quote(idOrName) : `${quote(idOrName)} with version ${version}`;
  const message = `Agent ${name} not found. Use an agent of GET /v1/agents, and check the project of the API key.`;
  return new RequestRefused(404, 'agent_not_found', message, 'id');
}
