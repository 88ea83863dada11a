import { expect, test } from 'vitest';
import { createHarness, type Harness, startBackgroundWorker } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { createEndpoint } from '#test/harness/webhook-endpoint.ts';
import { document, operations, type Schema } from './document.ts';
import { problemsAt } from './strictly.ts';
import { walkSchemas } from './walk-schemas.ts';

const { schemas, examples: refusals } = document.components;

test('every example in the document is valid against its schema', () => {
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

test('every named schema has an example or is a union', () => {
  const silent = Object.entries(schemas).filter(([, { examples, oneOf }]) => !oneOf && !examples?.length);

  expect(silent.map(([name]) => name)).toEqual([]);
});

test('every example of a request body is accepted', async () => {
  await using harness = await createHarness();
  // A create of a response is answered only when the response has ended.
  await using _worker = await startBackgroundWorker(harness);

  for (const { operationId, method, path, requestBody } of operations) {
    if (!requestBody) continue;
    const [[type, { schema }]] = Object.entries(requestBody.content) as [[string, { schema: Schema }]];
    const examples = examplesOf(schema);
    expect(examples, operationId).not.toEqual([]);
    for (const body of examples) {
      const sent = type === 'multipart/form-data' ? { body: formOf(body as Record<string, string>) } : jsonOf(body);
      const place = path.replace('{id}', await idFor(harness, path)).replace('{label}', 'production');
      const answer = await fetch(harness.url + place, { method, ...sent });
      expect.soft([200, 201, 202], `${operationId} ${await answer.text()}`).toContain(answer.status);
    }
  }
});

function jsonOf(body: unknown) {
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** Returns the form that curl makes of an example. A name after `@` is the name of a file. */
function formOf(fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (String(value).startsWith('@')) form.append(name, new File(['%PDF-1.7'], value.slice(1)));
    else form.append(name, String(value));
  }
  return form;
}

function examplesOf({ $ref }: Schema): unknown[] {
  return schemas[String($ref).split('/').at(-1)!]?.examples ?? [];
}

/** Returns the id of a resource that a request with this path accepts. */
async function idFor(harness: Harness, path: string): Promise<string> {
  if (path.endsWith('/tool_outputs')) return startWaiting(harness, {});
  if (path.endsWith('/input')) return startWaiting(harness, {});
  if (path.endsWith('/approvals')) return startWaiting(harness, { approval: 'always' });
  if (path.endsWith('/fork') || path.endsWith('/rerun')) return startEnded(harness);
  if (path.startsWith('/v1/webhook_endpoints/')) return (await createEndpoint(harness, 'https://example.com/')).id;
  if (path.startsWith('/v1/schedules/')) return createSchedule(harness);
  if (path.startsWith('/v1/agents/')) return createAgent(harness, path.includes('/labels/') ? 8 : 1);
  const { id, conversation_id } = await harness.startTurn({ input: 'Hi' });
  return path.includes('/chat/completions/') ? id.replace('turn_', 'chatcmpl-') : conversation_id;
}

async function createSchedule({ call }: Harness): Promise<string> {
  const body = { every_seconds: 3_600, turn: { model: 'sim/demo', input: 'Hi' } };
  return (await call<{ id: string }>('POST', '/v1/schedules', { body })).body.id;
}

/** Creates an agent with a number of versions, and returns its id. */
async function createAgent({ call }: Harness, versions: number): Promise<string> {
  const name = `agent-of-${versions}`;
  const { body } = await call<{ id: string }>('POST', '/v1/agents', { body: { name, model: 'sim/demo' } });
  for (let seed = 1; seed < versions; seed += 1) await call('PATCH', `/v1/agents/${name}`, { body: { seed } });
  return body.id ?? name;
}

/** Plays a turn with a round of tools and an answer, and returns its id. */
async function startEnded(harness: Harness): Promise<string> {
  const call = { name: 'weather_lookup', arguments: { city: 'Lisbon' } };
  const { id } = await harness.startTurn({ input: scripted({ rounds: [{ tools: [call] }] }), tools: [call.name] });
  await harness.untilEnded(id);
  return id;
}

async function startWaiting(harness: Harness, more: object): Promise<string> {
  const call = { name: 'locate_user', arguments: {}, id: 'call_1' };
  const tools = [{ name: 'locate_user', description: 'Asks the device where the user is', ...more }];
  const { id } = await harness.startTurn({ input: scripted({ rounds: [{ tools: [call] }] }), tools });
  await waitUntil(async () => expect((await harness.findTurn(id)).status).toBe('requires_action'));
  return id;
}
