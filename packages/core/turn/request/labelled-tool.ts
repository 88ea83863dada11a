import { createHash } from 'node:crypto';
import type { TurnTool } from './tool.ts';

/** Labels of calls that run elsewhere than at an MCP server. No server has such a name. */
export const OWN_LABELS = { server: 'pawl', http: 'http', client: 'client' } as const;

/** A tool as OpenAI's clients know it: the label of its server and its name there. */
export type LabelledTool = { serverLabel: string; name: string };

type NamedTool = Pick<TurnTool, 'name' | 'execution' | 'remoteName'>;

/** Returns the label and name of a tool. An invented tool, which no turn has, counts as Pawl's own. */
export function labelledTool(tool: NamedTool): LabelledTool {
  const { name, execution } = tool;
  if (execution?.kind !== 'mcp') return { serverLabel: OWN_LABELS[execution?.kind ?? 'server'], name };
  return { serverLabel: execution.server, name: remoteNameOf(tool, execution.server) };
}

/** Returns the name of a tool at its MCP server. */
export function remoteNameOf({ name, remoteName }: Omit<NamedTool, 'execution'>, server: string): string {
  const prefix = prefixOf(server);
  return remoteName ?? (name.startsWith(prefix) ? name.slice(prefix.length) : name);
}

/** Returns the name by which the model knows a labelled tool. */
export function nameOfLabelled({ serverLabel, name }: LabelledTool): string {
  return isOwnLabel(serverLabel) ? name : offeredName(serverLabel, name);
}

const USABLE = /^[a-zA-Z0-9_-]{1,64}$/;
const LONGEST = 64;
const HASH = 8;

/**
 * Returns the name of an MCP tool for models: `server__tool`, or with `_` and a hash if no provider takes that name.
 * It depends on both names alone, so each process derives the same name.
 */
export function offeredName(server: string, tool: string): string {
  const full = `${prefixOf(server)}${tool}`;
  if (USABLE.test(full)) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, HASH);
  return `${full.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - HASH - 1)}_${hash}`;
}

/** Returns whether a name may end in a hash. Then only the list of the server has the tool's own name. */
export function mayBeDerived(name: string): boolean {
  return /_[0-9a-f]{8}$/.test(name);
}

/** Returns whether a label belongs to no MCP server. */
export function isOwnLabel(label: string): boolean {
  return Object.values<string>(OWN_LABELS).includes(label);
}

function prefixOf(server: string): string {
  return `${server}__`;
}
