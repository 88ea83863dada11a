import { type RouteHandler, z } from '@hono/zod-openapi';
import { mayAskProvider } from '#core/project.ts';
import { labelledTool } from '#core/turn/request/labelled-tool.ts';
import { GivenTool, type TurnTool } from '#core/turn/request/tool.ts';
import { presentTool } from '#core/turn/resource/turn-config.ts';
import type { ApiContext } from '../context.ts';
import { type ApiEnv, jsonAnswer, makeRouter, routesOf } from '../http/router.ts';
import { listOf, wholeList } from '../schemas/page.ts';
import { WebhookSecrets } from '../webhooks/schemas/webhook-endpoint.ts';

const Provider = z
  .object({
    id: z.string().describe('What the models of this provider are named like.'),
    object: z.literal('provider'),
    name: z.string().describe('The name of the provider.'),
    wire: z
      .enum(['openai', 'openai-responses', 'anthropic', 'gemini', 'ai-sdk'])
      .describe(
        'Which API it speaks: `openai` is Chat Completions, `openai-responses` is Responses, `ai-sdk` is what its package speaks.',
      ),
    streaming: z.boolean().describe('Whether its replies are streamed.'),
    tools: z.boolean().describe('Whether it has tool calls of its own; else set `tool_mode`.'),
    parallel_tool_calls: z.boolean().describe('Whether one reply may ask for several calls.'),
    thinking: z.boolean().describe('Whether its reasoning is streamed where a model shows it.'),
    structured_outputs: z.boolean().describe('Whether its replies can be held to a JSON schema.'),
  })
  .meta({
    id: 'Provider',
    description: 'A configured provider, and what its models can do.',
    examples: [
      {
        ...{ id: 'sim/*', object: 'provider', name: 'sim', wire: 'openai' },
        ...{ streaming: true, tools: true, parallel_tool_calls: true, thinking: true, structured_outputs: true },
      },
    ],
  });

const route = routesOf('Catalogue');

const models = route('get', '/v1/models', 'listModels', {
  summary: 'List the configured providers and what each can do',
  description: 'An SDK of OpenAI gets the models of `/openai/v1/models` at this path.',
  answers: { 200: jsonAnswer('All providers that the project may ask a model of.', listOf(Provider)) },
  refusals: [],
});

const ListedTool = GivenTool.extend({
  remote_name: z
    .string()
    .nullable()
    .describe('The name of the tool at its MCP server; null for other tools. Leave it out of a definition.'),
}).meta({
  id: 'ListedTool',
  description:
    'A tool that a turn can name, as a definition. A tool of an MCP server is offered as `server__tool`. ' +
    'If a provider would refuse that name, it is mended and ends with a hash.',
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
    .describe('MCP servers that did not list their tools when they were asked last. Their tools may be missing.'),
  left_out: z
    .array(
      z.object({
        server: z.string().describe('The name of the MCP server.'),
        name: z.string().describe('The name of the tool at the server.'),
        reason: z.string().describe('The reason, and the change that the server needs.'),
      }),
    )
    .describe('Tools of MCP servers that no turn can have.'),
});

const tools = route('get', '/v1/tools', 'listTools', {
  summary: 'List the server-side tools and those of MCP servers',
  description:
    'A turn can name them: `"tools": ["get_weather"]`. A list that is read right after a start may lack the tools ' +
    'of MCP servers. `unavailable` names these servers.',
  answers: { 200: jsonAnswer('All tools, as definitions.', ToolList) },
  refusals: [],
});

const secret = route('get', '/v1/webhook_secret', 'readWebhookSecret', {
  summary: 'Read the secrets that sign the webhooks of turns now',
  description: 'They sign for URLs that turns name themselves; a webhook endpoint has secrets of its own.',
  answers: { 200: jsonAnswer('The secrets.', WebhookSecrets) },
  refusals: [],
});

/** What can be named in a request, and the secrets that sign webhooks. */
export function catalogueRoutes({ providers, projects, tools: registry, mcp, secretsOf }: ApiContext) {
  const listModels: RouteHandler<typeof models, ApiEnv> = (c) => {
    const project = projects.find(c.get('project'));
    const open = providers.list().filter(({ name }) => mayAskProvider(project, name));
    return c.json(
      wholeList(open.map((provider) => ({ id: `${provider.name}/*`, object: 'provider' as const, ...provider }))),
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
