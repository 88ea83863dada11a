import { createRoute, type RouteHandler, z } from '@hono/zod-openapi';
import type { ApiEnv } from '../api-env.ts';
import type { ApiContext } from '../context.ts';
import { json, makeRouter } from '../make-router.ts';
import { listOf } from '../schemas/list-of.ts';
import { refusals } from '../schemas/refusals.ts';

const Entry = z.record(z.string(), z.unknown());

const ProviderEntry = z
  .object({
    id: z.string(),
    object: z.literal('provider'),
    name: z.string(),
    wire: z.enum(['openai', 'anthropic', 'gemini']),
    streaming: z.boolean(),
    tools: z.boolean(),
    parallel_tool_calls: z.boolean(),
    thinking: z.boolean(),
  })
  .openapi('Provider');

const models = createRoute({
  method: 'get',
  path: '/v1/models',
  summary: 'List the configured providers and what each can do',
  responses: { 200: { description: 'All providers', content: json(listOf(ProviderEntry)) }, ...refusals },
});

const tools = createRoute({
  method: 'get',
  path: '/v1/tools',
  summary: 'List the server-side tools',
  responses: { 200: { description: 'All tools, as definitions', content: json(listOf(Entry)) }, ...refusals },
});

const secret = createRoute({
  method: 'get',
  path: '/v1/webhook_secret',
  summary: 'Read the secrets that sign this project’s webhooks now',
  responses: {
    200: { description: 'The secrets', content: json(z.object({ secrets: z.array(z.string()) })) },
    ...refusals,
  },
});

/** What can be named in a request, and what proves our webhooks. */
export function catalogueRoutes({ providers, tools: registry, secretsOf }: ApiContext) {
  const listModels: RouteHandler<typeof models, ApiEnv> = (c) =>
    c.json(
      whole(
        providers.list().map((provider) => ({ id: `${provider.name}/*`, object: 'provider' as const, ...provider })),
      ),
      200,
    );
  const listTools: RouteHandler<typeof tools, ApiEnv> = (c) => c.json(whole(registry.list()), 200);
  const readSecret: RouteHandler<typeof secret, ApiEnv> = async (c) =>
    c.json({ secrets: await secretsOf(c.get('project')) }, 200);
  return makeRouter().openapi(models, listModels).openapi(tools, listTools).openapi(secret, readSecret);
}

function whole<Item>(data: Item[]) {
  return { object: 'list' as const, data, has_more: false, next_cursor: null };
}
