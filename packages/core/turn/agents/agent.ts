import type { StandingConfig } from '../request/turn.ts';

/** The configuration of an agent: fields of a turn. Turns get the defaults of absent fields. */
export type AgentConfig = Omit<StandingConfig, 'agent' | 'variables' | 'expires_in_seconds'>;

/** The target of a label: a version, or versions with weights, from which each conversation gets the same version. */
export type AgentLabel = { version: number } | { versions: Record<string, number> };

/** An agent with one of its versions. Times are in PostgreSQL's format. */
export type Agent = {
  id: string;
  project: string;
  name: string;
  version: number;
  labels: Record<string, AgentLabel>;
  config: AgentConfig;
  metadata: Record<string, string>;
  createdAt: string;
  /** The time of this version. */
  versionCreatedAt: string;
};
