const NAME = '[a-z][a-z0-9_-]{0,63}';
const LABEL = '[a-z][a-z0-9_-]{0,31}';

/** The form of an agent's name, and of a label of its versions. A label never looks like a version. */
export const AGENT_NAME = new RegExp(`^${NAME}$`);
export const AGENT_LABEL = new RegExp(`^${LABEL}$`);

/** The form of a reference: a name or an id, alone or with a version or a label. */
export const AGENT_REFERENCE = new RegExp(`^(${NAME})(?:@(?:([1-9][0-9]{0,8})|(${LABEL})))?$`);

/** A reference to a version of an agent: `support` (the current version), `support@7` or `support@production`. */
export type AgentReference = { name: string; version: number | null; label: string | null };

/** Reads a reference. Returns null if the text has another form. */
export function readAgentReference(text: string): AgentReference | null {
  const [, name, version, label] = AGENT_REFERENCE.exec(text) ?? [];
  return name === undefined ? null : { name, version: version ? Number(version) : null, label: label ?? null };
}

/** Returns the text that identifies a version, such as `support@7`. */
export function nameVersion({ name, version }: { name: string; version: number }): string {
  return `${name}@${version}`;
}
