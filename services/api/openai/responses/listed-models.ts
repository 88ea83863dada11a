import { type RouteHandler, z } from '@hono/zod-openapi';
import { listAgents } from '#core/checkpoint/agents/agents.ts';
import { RequestRefused } from '#core/failure.ts';
import { mayAsk, mayAskProvider, type Project } from '#core/project.ts';
import { quote } from '#core/text.ts';
import { unixSeconds } from '#core/turn/resource/unix-seconds.ts';
import type { ApiContext } from '../../context.ts';
import { type ApiEnv, makeRouter, routesOf } from '../../http/router.ts';
import { type ModelLists, makeModelLists } from './model-lists.ts';
import { openaiAnswer, responseRefusals } from './schemas/response-refusals.ts';

const ListedModel = z
  .object({
    id: z
      .string()
      .describe('The name to use in a request: an alias of the operator, `provider/model`, or `agent/support`.'),
    object: z.literal('model'),
    created: z.int().describe('The time of creation in Unix seconds. 0 if the provider does not report it.'),
    owned_by: z.string().describe('The provider of the model.'),
  })
  .meta({
    id: 'ListedModel',
    description: 'A model, in the shape that clients of OpenAI’s API list.',
    examples: [{ id: 'sim/demo', object: 'model', created: 1_767_225_600, owned_by: 'sim' }],
  });
type ListedModel = z.output<typeof ListedModel>;

const ListedModels = z
  .object({
    object: z.literal('list'),
    data: z.array(ListedModel).describe('The models: aliases first, then by provider, then agents.'),
  })
  .meta({
    id: 'ListedModels',
    description: 'The available models.',
    examples: [
      { object: 'list', data: [{ id: 'sim/demo', object: 'model', created: 1_767_225_600, owned_by: 'sim' }] },
    ],
  });

const route = routesOf('Responses', responseRefusals);

const listAll = route('get', '/openai/v1/models', 'listOpenaiModels', {
  summary: 'List the available models (OpenAI base URL)',
  description:
    'Lists aliases, and the models that each provider listed within the last minute. Providers that are unavailable or have no list are left out, and so are models that the project may not use. Agents are listed as `agent/support`, and their labels as `agent/support@production`.',
  answers: { 200: openaiAnswer('All models.', ListedModels) },
  refusals: [],
});

const retrieve = route('get', '/openai/v1/models/{id}', 'retrieveOpenaiModel', {
  summary: 'Retrieve an available model (OpenAI base URL)',
  request: { params: z.object({ id: z.string().describe('The id of the model, with `%2F` for the slash.') }) },
  answers: { 200: openaiAnswer('The model.', ListedModel) },
  refusals: ['model_not_listed'],
});

/** Serves `GET /openai/v1/models` and `GET /openai/v1/models/:id`. */
export function listedModelRoutes(context: ApiContext) {
  const lists = makeModelLists(context);
  const listFor = async (name: string) => [
    ...(await listModels(context, lists, context.projects.find(name))),
    ...(await listAgentsAsModels(context.db, name)),
  ];
  const handleList: RouteHandler<typeof listAll, ApiEnv> = async (c) =>
    c.json({ object: 'list' as const, data: await listFor(c.get('project')) }, 200);
  const handleOne: RouteHandler<typeof retrieve, ApiEnv> = async (c) => {
    const { id } = c.req.valid('param');
    const model = (await listFor(c.get('project'))).find((listed) => listed.id === id);
    if (model) return c.json(model, 200);
    const message = `No provider lists the model ${quote(id)}. Use a model of GET /openai/v1/models.`;
    throw new RequestRefused(404, 'model_not_listed', message, 'id');
  };
  return makeRouter().openapi(listAll, handleList).openapi(retrieve, handleOne);
}

/** Returns the models that the project may use. An alias counts as the model that it names. */
async function listModels(
  { providers, responses, log }: ApiContext,
  lists: ModelLists,
  project: Project,
): Promise<ListedModel[]> {
  const aliases = Object.entries(responses.modelAliases)
    .filter(([, model]) => mayAsk(project, model))
    .map(([id, model]) => shown(id, 0, model.slice(0, model.indexOf('/'))));
  const open = providers.names.filter((name) => mayAskProvider(project, name));
  const listed = await Promise.all(
    open.map(async (name) => {
      try {
        const models = await lists.listOf(name);
        return models.map(({ id, created }) => shown(`${name}/${id}`, created, name));
      } catch (error) {
        log.debug({ provider: name, err: error }, 'a provider did not list its models');
        return [];
      }
    }),
  );
  return [...aliases, ...listed.flat().filter(({ id }) => mayAsk(project, id))];
}

/** The agents of a project are few, so their list has a bound. */
const MOST_AGENTS = 1_000;

/** Returns the agents of a project, and their labels, under the names that requests use as `model`. */
async function listAgentsAsModels(db: ApiContext['db'], project: string): Promise<ListedModel[]> {
  const agents = await listAgents(db, project, { limit: MOST_AGENTS });
  return agents.flatMap(({ name, labels, createdAt }) => {
    const created = unixSeconds(createdAt);
    const names = [name, ...Object.keys(labels).map((label) => `${name}@${label}`)];
    return names.map((one) => shown(`agent/${one}`, created, 'pawl'));
  });
}

function shown(id: string, created: number, owner: string): ListedModel {
  return { id, object: 'model', created, owned_by: owner };
}
