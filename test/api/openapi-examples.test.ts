import { expect, test } from 'vitest';
import { createWorld, type World } from '#test/world/create-world.ts';
import { scripted } from '#test/world/scripted.ts';
import { createEndpoint } from '#test/world/webhook-endpoint.ts';
import { document, operations, type Schema } from './openapi/document.ts';
import { problemsAt } from './openapi/strictly.ts';
import { walkSchemas } from './openapi/walk-schemas.ts';

const { schemas, examples: refusals } = document.components;

test('every example is valid by the schema it stands in', () => {
  const wrong: string[][] = [];
  walkSchemas(document, ({ examples }, place) => {
    for (const example of Array.isArray(examples) ? examples : []) {
      const problems = problemsAt(place, example);
      if (problems.length > 0) wrong.push([place.join(' '), ...problems]);
    }
  });
  for (const [code, { value }] of Object.entries(refusals)) {
    const problems = problemsAt(['components', 'schemas', 'Error'], value);
    if (problems.length > 0) wrong.push([code, ...problems]);
  }

  expect(wrong).toEqual([]);
});

test('everything that has a name shows an example, or is one of several that do', () => {
  const silent = Object.entries(schemas).filter(([, { examples, oneOf }]) => !oneOf && !examples?.length);

  expect(silent.map(([name]) => name)).toEqual([]);
});

test('every body that is shown is taken as it is', async () => {
  await using world = await createWorld();

  for (const { operationId, method, path, requestBody } of operations) {
    if (!requestBody) continue;
    const examples = examplesOf(requestBody.content['application/json']!.schema);
    expect(examples, operationId).not.toEqual([]);
    for (const body of examples) {
      const { status, body: answer } = await world.call(method, path.replace('{id}', await idFor(world, path)), {
        body,
      });
      expect.soft([200, 201, 202], `${operationId} ${JSON.stringify(answer)}`).toContain(status);
    }
  }
});

function examplesOf({ $ref }: Schema): unknown[] {
  return schemas[String($ref).split('/').at(-1)!]?.examples ?? [];
}

/** The id of something that a request with this path can be made for. */
async function idFor(world: World, path: string): Promise<string> {
  if (path.endsWith('/tool_outputs')) return parked(world, {});
  if (path.endsWith('/approvals')) return parked(world, { approval: 'always' });
  if (path.startsWith('/v1/webhook_endpoints/')) return (await createEndpoint(world, 'https://example.com/')).id;
  return (await world.startTurn({ input: 'Hi' })).conversation_id;
}

async function parked(world: World, more: object): Promise<string> {
  const call = { name: 'locate_user', arguments: {}, id: 'call_1' };
  const tools = [{ name: 'locate_user', description: 'Asks the device where the user is', ...more }];
  const { id } = await world.startTurn({ input: scripted({ rounds: [{ tools: [call] }] }), tools });
  await world.workUntilIdle();
  return id;
}
