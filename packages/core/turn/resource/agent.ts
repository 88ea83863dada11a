import type { Agent } from '../agents/agent.ts';
import { iso } from './iso.ts';

export type AgentResource = ReturnType<typeof presentAgent>;

/** Returns an agent with one of its versions. */
export function presentAgent({ id, name, version, labels, config, metadata, createdAt, versionCreatedAt }: Agent) {
  return {
    id,
    object: 'agent' as const,
    ...{ name, version, labels, config, metadata },
    created_at: iso(createdAt),
    version_created_at: iso(versionCreatedAt),
  };
}
