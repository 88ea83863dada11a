import { createRoute, z } from '@hono/zod-openapi';
import { VERSION } from '../../process/trace/version.ts';
import { json, type makeRouter } from '../http/router.ts';
import { scopeOf } from '../http/scopes.ts';
import { errorExamples } from '../schemas/errors/error-codes.ts';
import { webhooks } from '../webhooks/schemas/webhooks.ts';
import { shareAnswers } from './share-answers.ts';

const ABOUT = {
  openapi: '3.1.0',
  info: {
    title: 'Pawl',
    version: VERSION,
    description:
      'Durable LLM conversation turns as a service. Start a turn, then poll it, stream it or receive a webhook. If a process dies, the turn continues from its last checkpoint.',
    license: { name: 'MIT', identifier: 'MIT' },
  },
  security: [{ ApiKey: [] }],
  tags: [
    { name: 'Turns', description: 'Turns: one input, and all the work until its answer.' },
    { name: 'Events', description: 'Events of a turn, as a list or as a stream.' },
    { name: 'Tool calls', description: 'Calls that wait for a client or a person, and the results of calls.' },
    { name: 'Conversations', description: 'Turns that belong together, and the configuration that they inherit.' },
    { name: 'Agents', description: 'Configurations with a name and versions, which turns use.' },
    { name: 'Schedules', description: 'Turns that start at planned times.' },
    { name: 'Blobs', description: 'The bytes of images, files and audio in messages and results.' },
    { name: 'Responses', description: 'Turns as OpenAI’s Responses API shows them, for its clients.' },
    { name: 'Chat Completions', description: 'Turns as OpenAI’s Chat Completions API shows them, for its clients.' },
    { name: 'Files', description: 'Files that parts of inputs name by id, in the shape of OpenAI’s API.' },
    { name: 'Webhook endpoints', description: 'URLs that receive the events of all turns of a project.' },
    { name: 'Deliveries', description: 'Events sent to webhooks, and their outcome.' },
    { name: 'Catalogue', description: 'Models and tools that a request can name.' },
    { name: 'Operation', description: 'The state of the service.' },
    { name: 'Pages', description: 'Pages for a browser.' },
    { name: 'Webhooks', description: 'Requests that Pawl posts to the URLs that receive events.' },
  ],
};

const describe = createRoute({
  method: 'get',
  path: '/openapi.json',
  operationId: 'describeApi',
  tags: ['Operation'],
  summary: 'Read this OpenAPI document',
  security: [],
  responses: { 200: { description: 'An OpenAPI document.', content: json(z.record(z.string(), z.unknown())) } },
});

/** Serves `/openapi.json` without a key. It is derived from all routes of the app at the first request. */
export function describeApi(app: ReturnType<typeof makeRouter>, publicUrl: string): void {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'http',
    scheme: 'bearer',
    description:
      'A key of PAWL_API_KEYS, without its project, or of PAWL_PROJECTS. Not required if no keys are configured. Each operation names the scope that its key needs.',
  });
  for (const [code, value] of Object.entries(errorExamples)) registry.registerComponent('examples', code, { value });
  for (const webhook of webhooks) registry.registerWebhook(webhook);

  let document: Record<string, unknown> | undefined;
  app.openapi(describe, (c) => {
    const servers = [{ url: publicUrl || '/', description: 'This server.' }];
    document ??= { ...shareAnswers(withScopes(app.getOpenAPI31Document({ ...ABOUT, servers }))) };
    return c.json(document, 200);
  });
}

type Described = ReturnType<ReturnType<typeof makeRouter>['getOpenAPI31Document']>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Adds to each operation the scope that its key needs, except to open operations. */
function withScopes(document: Described): Described {
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation && !operation.security) operation.security = [{ ApiKey: [scopeOf(method, path)] }];
    }
  }
  return document;
}
