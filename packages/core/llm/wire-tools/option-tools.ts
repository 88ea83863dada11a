import { isRecord } from '../../json.ts';

/**
 * Returns the tools of a request, and then those of `provider_options`. A tool of the options takes the place of a
 * tool with its name, since servers refuse two equal names.
 */
export function withOptionTools(tools: readonly object[], own: readonly unknown[]): unknown[] {
  const byName = new Map(own.flatMap((tool) => (nameOf(tool) === null ? [] : [[nameOf(tool), tool] as const])));
  const kept = tools.map((tool) => byName.get(nameOf(tool)) ?? tool);
  return [...kept, ...own.filter((tool) => !kept.some((each) => each === tool))];
}

/** Returns the options of a caller. A list of `tools` in them is added to the tools of the request. */
export function addOptionTools(
  options: Record<string, unknown>,
  tools: readonly object[] = [],
): Record<string, unknown> {
  return Array.isArray(options.tools) ? { ...options, tools: withOptionTools(tools, options.tools) } : options;
}

/** Returns the name of a function, in the form of any wire. Other tools may have no name. */
function nameOf(tool: unknown): string | null {
  if (!isRecord(tool)) return null;
  const name = isRecord(tool.function) ? tool.function.name : tool.name;
  return typeof name === 'string' ? name : null;
}
