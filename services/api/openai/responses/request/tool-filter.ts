import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote, shorten } from '#core/text.ts';
import type { LeftOut } from '#core/tools/mcp/list/list-mcp-tools.ts';
import { labelledTool } from '#core/turn/request/labelled-tool.ts';
import type { TurnTool } from '#core/turn/request/tool.ts';
import { renderPath } from '../../../http/issues.ts';

/** Names of tools as their server defines them. */
export const ToolNames = z.array(z.string()).max(1_000);

/** A selection of tools of a label, in OpenAI's shape: by name, only reading tools, or both. */
export const ToolFilter = z
  .strictObject({ tool_names: ToolNames.nullish(), read_only: z.boolean().nullish() })
  .refine(({ tool_names, read_only }) => (tool_names ?? read_only ?? null) !== null, 'give tool_names or read_only');
export type ToolFilter = z.output<typeof ToolFilter>;

/** The tools of a label, and the tools of its server that Pawl cannot offer. */
export type LabelTools = { tools: readonly TurnTool[]; leftOut: readonly LeftOut[] };

/** Returns a test for tools by a list of names or a filter. Refuses a name that no listed tool has, with its path. */
export function readFilter(
  given: string[] | ToolFilter,
  listed: LabelTools,
  path: PropertyKey[],
): (tool: TurnTool) => boolean {
  const { tool_names: names, read_only: onlyReads } = Array.isArray(given) ? { tool_names: given } : given;
  if (names) requireListed(names, listed, Array.isArray(given) ? path : [...path, 'tool_names']);
  return (tool) => (names?.includes(ownName(tool)) ?? true) && (onlyReads ?? isReading(tool)) === isReading(tool);
}

function requireListed(names: string[], { tools, leftOut }: LabelTools, path: PropertyKey[]): void {
  const known = tools.map(ownName);
  const missing = names.findIndex((name) => !known.includes(name));
  if (missing === -1) return;
  const name = names[missing] ?? '';
  const reason = leftOut.find((each) => each.remoteName === name)?.why;
  const message = reason === undefined ? sayUnknown(name, known) : sayLeftOut(name, reason);
  throw new RequestRefused(400, 'unknown_tool', message, renderPath([...path, missing]));
}

function sayUnknown(name: string, known: string[]): string {
  const advice =
    known.length > 0 ? `Use one of: ${shorten(known.join(', '), NAMES_SHOWN)}.` : 'This label has no tools.';
  return `${quote(name)} is not a tool of this label. ${advice}`;
}

function sayLeftOut(name: string, reason: string): string {
  return `The tool ${quote(name)} of this label is not available: ${shorten(reason, NAMES_SHOWN)} Name other tools.`;
}

/** The maximum characters of a list of names. */
const NAMES_SHOWN = 500;

function ownName(tool: TurnTool): string {
  return labelledTool(tool).name;
}

function isReading({ effect }: TurnTool): boolean {
  return effect === 'none';
}
