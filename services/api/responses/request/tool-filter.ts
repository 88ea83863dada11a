import { z } from 'zod';
import { RequestRefused } from '#core/failure.ts';
import { quote, shorten } from '#core/text.ts';
import { labelledTool } from '#core/turn/request/labelled-tool.ts';
import type { Tool } from '#core/turn/request/tool.ts';
import { renderPath } from '../../http/issues.ts';

/** Names of tools as their server has them, without its prefix. */
export const ToolNames = z.array(z.string()).max(1_000);

/** Which tools of a label are meant, as OpenAI's API says it: those of these names, those that only read, or both at once. */
export const ToolFilter = z
  .strictObject({ tool_names: ToolNames.nullish(), read_only: z.boolean().nullish() })
  .refine(({ tool_names, read_only }) => (tool_names ?? read_only ?? null) !== null, 'give tool_names or read_only');
export type ToolFilter = z.output<typeof ToolFilter>;

/** Whether a tool is meant by a list of names or a filter. A name that no `listed` tool has is refused with its path. */
export function readFilter(
  given: string[] | ToolFilter,
  listed: readonly Tool[],
  path: PropertyKey[],
): (tool: Tool) => boolean {
  const { tool_names: names, read_only: onlyReads } = Array.isArray(given) ? { tool_names: given } : given;
  if (names) requireListed(names, listed.map(ownName), Array.isArray(given) ? path : [...path, 'tool_names']);
  return (tool) => (names?.includes(ownName(tool)) ?? true) && (onlyReads ?? isReading(tool)) === isReading(tool);
}

function requireListed(names: string[], known: string[], path: PropertyKey[]): void {
  const missing = names.findIndex((name) => !known.includes(name));
  if (missing === -1) return;
  const those = known.length > 0 ? `There are: ${shorten(known.join(', '), NAMES_SHOWN)}.` : 'There is none at all.';
  const message = `There is no tool named ${quote(names[missing] ?? '')} under this label. ${those}`;
  throw new RequestRefused(400, 'unknown_tool', message, renderPath([...path, missing]));
}

/** Characters of a list of names at most. */
const NAMES_SHOWN = 500;

function ownName(tool: Tool): string {
  return labelledTool(tool).name;
}

function isReading({ effect }: Tool): boolean {
  return effect === 'none';
}
