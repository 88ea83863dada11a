import { type RouteHandler, z } from '@hono/zod-openapi';
import { RequestRefused } from '#core/failure.ts';
import { mayAsk, mayAskProvider, type Project } from '#core/project.ts';
import { quote } from '#core/text.ts';
import type { ApiContext } from '../../context.ts';
import { type ApiEnv, makeRouter, routesOf } from '../../http/router.ts';
import { type ModelLists, makeModelLists } from './model-lists.ts';
import { openaiAnswer, responseRefusals } from './schemas/response-refusals.ts';

const ListedModel = z
  .object({
    id: z.string().describe('What a request names: an alias of the operator’s, or `provider/model`.'),
    object: z.literal('model'),
    created: z.int().describe('Unix seconds; 0 where its provider does not say.'),
    owned_by: z.string().describe('The provider that is asked.'),
  })
  .meta({
    id: 'ListedModel',
    description: 'A model, as clients of OpenAI’s API list them.',
    examples: [{ id: 'sim/demo', object: 'model', created: 1_767_225_600, owned_by: 'sim' }],
  });
type ListedModel = z.output<typeof ListedModel>;

const ListedModels = z
  .object({
    object: z.literal('list'),
    data: z.array(ListedModel).describe('Aliases first, then provider by provider.'),
  })
  .meta({
    id: 'ListedModels',
    description: 'The models that can be asked.',
    examples: [
      { object: 'list', data: [{ id: 'sim/demo', object: 'model', created: 1_767_225_600, owned_by: 'sim' }] },
    ],
  });

const route = routesOf('Responses', responseRefusals);

const listAll = route('get', '/openai/v1/models', 'listOpenaiModels', {
  summary: 'List the models that can be asked (OpenAI base URL)',
  description:
    'Aliases, and what each provider lists, as it was within the last minute. One that cannot be asked, or has no list, is left ' +
    'out, and so is what the project may not ask.',
  answers: { 200: openaiAnswer('All models.', ListedModels) },
  refusals: [],
});

const retrieve = route('get', '/openai/v1/models/{id}', 'retrieveOpenaiModel', {
  summary: 'Retrieve one of the models that can be asked (OpenAI base URL)',
  request: { params: z.object({ id: z.string().describe('Its id, with `%2F` for the slash.') }) },
  answers: { 200: openaiAnswer('The model.', ListedModel) },
  refusals: ['model_not_listed'],
});

/** `GET /openai/v1/models` and `GET /openai/v1/models/:id` (contract-responses section 1). */
export function listedModelRoutes(context: ApiContext) {
  const lists = makeModelLists(context);
  const listFor = async (name: string) => listModels(context, lists, context.projects.find(name));
  const handleList: RouteHandler<typeof listAll, ApiEnv> = async (c) =>
    c.json({ object: 'list' as const, data: await listFor(c.get('project')) }, 200);
  const handleOne: RouteHandler<typeof retrieve, ApiEnv> = async (c) => {
    const { id } = c.req.valid('param');
    const model = (await listFor(c.get('project'))).find((listed) => listed.id === id);
    if (model) return c.json(model, 200);
    const message = `No provider here lists the model ${quote(id)}. GET /openai/v1/models has those there are.`;
    throw new RequestRefused(404, 'model_not_listed', message, 'id');
  };
  return makeRouter().openapi(listAll, handleList).openapi(retrieve, handleOne);
}

/** What the project may ask, of the aliases by the models that they stand for. */
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
        log.debug({ provider: name, err: error }, 'a provider does not list its models');
        return [];
      }
    }),
  );
  return [...aliases, ...listed.flat().filter(({ id }) => mayAsk(project, id))];
}

function shown(id: string, created: number, owner: string): ListedModel {
  return { id, object: 'model', created, owned_by: owner };
}
