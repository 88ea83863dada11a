import { isRecord } from '../../../json.ts';
import type { HostedTool } from '../../../turn/hosted/hosted-tool.ts';

/** The versions of the hosted tools that Pawl sends. `options.type` of a tool replaces the version. */
const VERSIONS = {
  web_search: 'web_search_20260318',
  web_fetch: 'web_fetch_20260318',
  code_execution: 'code_execution_20260521',
} as const;

/** A tool in the form of this wire. */
export type WireTool = { name: string } & Record<string, unknown>;

/**
 * Renders hosted tools. The name is part of the wire's type of a tool. `isDirect` is set for models that cannot call
 * tools from code. By default, Anthropic runs code to filter the results of a search. A turn without `code_execution`
 * does not allow that, because code has its own capability and price.
 */
export function renderHostedTools(tools: readonly HostedTool[], isDirect: boolean): WireTool[] {
  const runsCode = tools.some(({ type }) => type === 'code_execution');
  return tools.flatMap(({ type, options }) => {
    if (!hasVersion(type)) return [];
    const direct = isDirect || (!runsCode && !options?.type) ? { allowed_callers: ['direct'] } : {};
    const callers = type === 'code_execution' ? {} : direct;
    return [{ type: VERSIONS[type], ...callers, ...options, name: type }];
  });
}

/** Returns whether the wire has this kind of tool. Other kinds were refused at submission. */
function hasVersion(type: HostedTool['type']): type is keyof typeof VERSIONS {
  return Object.hasOwn(VERSIONS, type);
}

/** Returns whether the provider runs one of these tools. Other tools with a type are for the client. */
export function hasServerTool(tools: unknown): boolean {
  return Array.isArray(tools) && tools.some((tool) => isRecord(tool) && isServerType(tool.type));
}

const SERVER_TYPE = /^(web_search|web_fetch|code_execution|tool_search_tool|advisor)_/;

function isServerType(type: unknown): boolean {
  return typeof type === 'string' && SERVER_TYPE.test(type);
}
