import type { Tool } from '../turn/request/tool.ts';
import type { ServerTool } from './define/tool.ts';

/** The server-side tools of this process, by name. */
export type ToolRegistry = { list(): Tool[]; find(name: string): ServerTool | undefined };

export function toolRegistry(tools: readonly ServerTool[]): ToolRegistry {
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  return { list: () => tools.map((tool) => tool.definition), find: (name) => byName.get(name) };
}
