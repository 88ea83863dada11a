import type { Db } from '#core/checkpoint/tables.ts';
import { RequestRefused } from '#core/failure.ts';
import { readPrices } from '#core/llm/by-model/prices.ts';
import { configureProviders } from '#core/llm/providers.ts';
import type { ServerTool } from '#core/tools/define/tool.ts';
import { type McpServers, openMcpServers } from '#core/tools/mcp/servers.ts';
import { toolRegistry } from '#core/tools/registry.ts';
import { readResponseRequest } from '#services/api/openai/responses/read-response-request.ts';
import { explainResponseIssues } from '#services/api/openai/responses/request/explain-issues.ts';
import type { ReadRequest } from '#services/api/openai/responses/request/read-request.ts';
import type { ResponseSettings } from '#services/api/openai/responses/request/response-settings.ts';
import { ResponseBody } from '#services/api/openai/responses/response-body.ts';
import { makeProjects } from '#services/process/projects.ts';
import { stateSeals } from './seals.ts';

type Env = Record<string, string>;

/** The settings of an operator who sets no variable. */
const plainSettings: ResponseSettings = { defaultProvider: null, modelAliases: {}, unsupportedTools: 'refuse' };

const KEYS: Env = { OPENAI_API_KEY: 'sk-1', ANTHROPIC_API_KEY: 'sk-2', GEMINI_API_KEY: 'sk-3' };

/** A request without an agent reads no rows. */
const NO_DATABASE = {} as Db;

type Operator = { env?: Env; settings?: Partial<ResponseSettings>; tools?: ServerTool[]; mcp?: McpServers };

/**
 * Reads a body as the route does, for an operator with these providers, settings, server-side tools and MCP servers.
 */
export async function readBody(
  body: object,
  { env = KEYS, settings = {}, tools = [], mcp = openMcpServers(new Map(), { warn: () => {} }) }: Operator = {},
): Promise<ReadRequest> {
  const { data, error } = ResponseBody.safeParse({ model: 'openai/gpt-4.1', input: 'Hi', ...body });
  if (error) throw explainResponseIssues(error.issues);
  const providers = configureProviders(env, { baseUrl: async () => '' });
  const tooling = { tools: toolRegistry(tools), mcp, toolSecrets: new Map() };
  const rules = {
    providers,
    prices: readPrices(undefined),
    projects: makeProjects([]),
    ...tooling,
    toolRules: 'strict' as const,
    egressPolicy: [],
    project: 'default',
    db: NO_DATABASE,
    stateSeals,
  };
  try {
    return await readResponseRequest(data, { ...rules, responses: { ...plainSettings, ...settings } });
  } finally {
    await providers.close();
  }
}

/** Returns the refusal of a body. Throws if the body is accepted. */
export async function refusalOf(body: object, operator: Operator = {}): Promise<RequestRefused> {
  const refusal = await readBody(body, operator).catch((error: unknown) => error);
  if (refusal instanceof RequestRefused) return refusal;
  throw new Error(`This was not refused: ${JSON.stringify(body)}`, { cause: refusal });
}
