import { type RouteHandler, z } from '@hono/zod-openapi';
import { mayAskProvider } from '#core/project.ts';
import { HOSTED_TYPES } from '#core/turn/hosted/hosted-tool.ts';
import { labelledTool } from '#core/turn/request/labelled-tool.ts';
import { GivenTool, type TurnTool } from '#core/turn/request/tool.ts';
import { presentTool } from '#core/turn/resource/turn-config.ts';
import type { ApiContext } from '../context.ts';
import { type ApiEnv, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { listOf, wholeList } from '../schemas/page.ts';
import { WebhookSecrets } from '../webhooks/schemas/webhook-endpoint.ts';

const Provider = z
  .object({
    id: z.string().describe('The pattern of the model names of this provider.'),
    object: z.literal('provider'),
    name: z.string().describe('The name of the provider.'),
    wire: z
      .enum(['openai', 'openai-responses', 'anthropic', 'gemini', 'ai-sdk'])
      .describe(
        'The API of the provider: `openai` is Chat Completions, `openai-responses` is Responses, `ai-sdk` is the API of its package.',
      ),
    streaming: z.boolean().describe('Whether the provider streams replies.'),
    tools: z.boolean().describe('Whether the provider supports tool calls. If not, set `tool_mode`.'),
    parallel_tool_calls: z.boolean().describe('Whether one reply may request several calls.'),
    thinking: z.boolean().describe('Whether the provider streams the reasoning, if a model shows it.'),
    structured_outputs: z.boolean().describe('Whether the provider can enforce a JSON Schema for replies.'),
    hosted_tools: z.array(z.enum(HOSTED_TYPES)).describe('The kinds of tools that the provider itself runs.'),
    background: z.boolean().describe('Whether rounds of some or all models are asked in the background.'),
    batch: z.boolean().describe('Whether the provider supports `service_tier: "batch"`.'),
  })
  .meta({
    id: 'Provider',
    description: 'A configured provider and the features of its models.',
    examples: [
      {
        ...{ id: 'sim/*', object: 'provider', name: 'sim', wire: 'openai' },
        ...{
          streaming: true,
          tools: true,
          parallel_tool_calls: true,
          thinking: true,
          structured_outputs: true,
          hosted_tools: [],
          background: false,
          batch: true,
        },
      },
    ],
  });

const route = routesOf('Catalogue');

const models = route('get', '/v1/models', 'listModels', {
  summary: 'List the configured providers and their features',
  description: 'At this path, OpenAI’s SDKs get the models of `/openai/v1/models`.',
  answers: { 200: jsonAnswer('All providers that the project may use.', listOf(Provider)) },
  refusals: [],
});

const ListedTool = GivenTool.extend({
  remote_name: z
    .string()
    .nullable()
    .describe('The name of the tool at its MCP server. Null for other tools. Leave this field out of a definition.'),
}).meta({
  id: 'ListedTool',
  description:
    'A tool that a turn can name, as a definition. Tools of an MCP server are named `server__tool`. If a provider would refuse that name, Pawl changes it and adds a hash.',
  examples: [
    {
      ...{ type: 'function', name: 'files__read_file_031d513c', remote_name: 'read/file' },
      ...{ description: 'Reads a file', parameters: { type: 'object' } },
      ...{ execution: { kind: 'mcp', server: 'files' }, effect: 'none' },
    },
  ],
});

const ToolList = listOf(ListedTool).extend({
  unavailable: z
    .array(
      z.object({
        server: z.string().describe('The name of the MCP server.'),
        reason: z.string().describe('The reason why the server did not list its tools, and the next step.'),
      }),
    )
    .describe('MCP servers that did not list their tools at the last request. Their tools may be missing.'),
  left_out: z
    .array(
      z.object({
        server: z.string().describe('The name of the MCP server.'),
        name: z.string().describe('The name of the tool at the server.'),
        reason: z.string().describe('The reason, and the change that the server needs.'),
      }),
    )
    .describe('Tools of MCP servers that Pawl cannot offer.'),
});

const tools = route('get', '/v1/tools', 'listTools', {
  summary: 'List the server-side tools and the tools of MCP servers',
  description:
    'A turn can name these tools: `"tools": ["get_weather"]`. Shortly after a start, the list may lack tools of MCP servers. `unavailable` names these servers.',
  answers: { 200: jsonAnswer('All tools, as definitions.', ToolList) },
  refusals: [],
});

const secret = route('get', '/v1/webhook_secret', 'readWebhookSecret', {
  summary: 'Read the secrets that currently sign the webhooks of turns',
  description: 'These secrets sign for URLs that turns name themselves. A webhook endpoint has its own secrets.',
  answers: { 200: jsonAnswer('The secrets.', WebhookSecrets) },
  refusals: [],
});

/** Serves the names that a request can use, and the secrets that sign webhooks. */
export function catalogueRoutes({ providers, projects, tools: registry, mcp, secretsOf }: ApiContext) {
  const listModels: RouteHandler<typeof models, ApiEnv> = (c) => {
    const project = projects.find(c.get('project'));
    const open = providers.list().filter(({ name }) => mayAskProvider(project, name));
    return c.json(
      wholeList(
        open.map(({ hosted_tools, ...provider }) => ({
          ...{ id: `${provider.name}/*`, object: 'provider' as const, ...provider },
          hosted_tools: [...hosted_tools],
        })),
      ),
      200,
    );
  };
  const listTools: RouteHandler<typeof tools, ApiEnv> = async (c) => {
    const { tools: listed, unavailable, leftOut } = await mcp.list();
    const data = [...registry.list(), ...listed].map(presentListed);
    const left_out = leftOut.map(({ server, remoteName: name, why: reason }) => ({ server, name, reason }));
    return c.json({ ...wholeList(data), unavailable, left_out }, 200);
  };
  const readSecret: RouteHandler<typeof secret, ApiEnv> = async (c) =>
    c.json({ secrets: await secretsOf(c.get('project')) }, 200);
  return makeRouter().openapi(models, listModels).openapi(tools, listTools).openapi(secret, readSecret);
}

function presentListed(tool: TurnTool) {
  const remoteName = tool.execution?.kind === 'mcp' ? labelledTool(tool).name : null;
  return { ...presentTool(tool), remote_name: remoteName };
}
