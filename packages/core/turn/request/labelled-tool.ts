import type { Tool } from './tool.ts';

/** Labels of calls that no MCP server runs, by who does: the names of servers are others (contract-responses R34). */
export const OWN_LABELS = { server: 'pawl', http: 'http', client: 'client' } as const;

/** A tool as clients of OpenAI's API know it: the label of who runs it, and its name there, without the server's prefix. */
export type LabelledTool = { serverLabel: string; name: string };

/** A tool by its label. One that a turn does not have, since the model made it up, counts as Pawl's own. */
export function labelledTool({ name, execution }: { name: string; execution: Tool['execution'] }): LabelledTool {
  if (execution?.kind !== 'mcp') return { serverLabel: OWN_LABELS[execution?.kind ?? 'server'], name };
  const prefix = prefixOf(execution.server);
  return { serverLabel: execution.server, name: name.startsWith(prefix) ? name.slice(prefix.length) : name };
}

/** The name that the model knows a labelled tool by. */
export function nameOfLabelled({ serverLabel, name }: LabelledTool): string {
  return isOwnLabel(serverLabel) ? name : `${prefixOf(serverLabel)}${name}`;
}

/** Whether a label is that of no MCP server. */
export function isOwnLabel(label: string): boolean {
  return Object.values<string>(OWN_LABELS).includes(label);
}

function prefixOf(server: string): string {
  return `${server}__`;
}
