import { sql } from 'kysely';
import { expect } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { jobHandler } from '#services/worker/job-handler.ts';
import { apiClient } from '#test/harness/api-client.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { httpTool } from '#test/harness/http-tool.ts';
import { scripted } from '#test/harness/scripted.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { startProcess } from '#test/harness/start-process.ts';
import { testWith } from '#test/harness/test.ts';
import { untilLogged } from '#test/harness/until-logged.ts';

const VALUE = 'ghp_1f7"/+ZqXw\\9';
/** Either half of the value, plain or in base64. */
const TRACE = /ghp_1f7|ZqXw|Z2hwXzFm|docF8xZjc|naHBfMWY3/;

const env = {
  PAWL_API_KEYS: 'alpha:key-of-alpha,beta:key-of-beta',
  PAWL_SECRETS: JSON.stringify({
    github: VALUE,
    elsewhere: { value: 'for-elsewhere', hosts: ['api.example.com'] },
    alphas: { value: 'for-alpha-alone', projects: ['alpha'] },
  }),
};

const secret = (name: string) => `\${secret:${name}}`;
const clientOf = ({ url }: Harness, project = 'alpha') => apiClient(url, `key-of-${project}`);
const callOnce = scripted({ rounds: [{ tools: [{ name: 'echo', arguments: { city: 'Tokyo' }, id: 'call_x' }] }] });

function echo(url: string, headers: Record<string, string>) {
  return httpTool('echo', url, { execution: { kind: 'http', url, headers } });
}

/** Opens an HTTP tool that returns its secret plain, URL-encoded and in base64. */
async function openEcho(status = 200) {
  const tool = await openExternalServer((number) => {
    const { authorization = '' } = tool.caught[number - 1]?.headers ?? {};
    const body = { authorization, url: encodeURIComponent(authorization), base64: btoa(`me:${authorization}`) };
    return { status, body };
  });
  return tool;
}

const test = testWith({ env });

test('a secret reaches the tool only: it is not stored, shown or logged', async ({ harness }) => {
  await using tool = await openEcho();
  await using worker = await startProcess('worker', harness.env);
  const client = clientOf(harness);
  const authorization = `Bearer ${secret('github')}`;

  const { id, conversation_id } = await client.startTurn({
    input: callOnce,
    tools: [echo(tool.url, { authorization })],
  });
  await untilLogged(worker, 'turn.ended');
  const shown = await Promise.all(
    pathsOf(id, conversation_id).map(async (path) => (await client.call('GET', path)).body),
  );

  expect(tool.caught.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${VALUE}`]);
  expect((shown[0] as TurnResource).rounds[0]?.results[0]?.content).toMatch(
    /^\{"authorization":"Bearer \[redacted\]","url":"Bearer%20\[redacted\]","base64":".*\[redacted\].*"\}$/,
  );
  expect(shown[1]).toMatchObject({ tools: [{ execution: { headers: { authorization } } }] });
  for (const seen of [shown, harness.modelRequests, worker.lines, await everyRow(harness)]) {
    expect(JSON.stringify(seen)).not.toMatch(TRACE);
  }
});

test('a failing tool does not reveal a secret, not even in a truncated message', async ({ harness }) => {
  await using tool = await openExternalServer(() => ({ status: 500, body: `${'x'.repeat(1960)}${VALUE}${VALUE}` }));
  const client = clientOf(harness);

  const { id } = await client.startTurn({ input: callOnce, tools: [echo(tool.url, { 'x-key': secret('github') })] });
  await harness.workUntilIdle();

  expect((await client.findTurn(id)).rounds[0]?.results[0]?.error?.message).toMatch(/xx\[redacted\]/);
  expect(JSON.stringify([harness.modelRequests, await everyRow(harness)])).not.toMatch(TRACE);
});

test('an output is redacted before it is cut for the model', async () => {
  await using harness = await createHarness({ env: { ...env, PAWL_TOOL_OUTPUT_LIMIT: '40' } });
  await using tool = await openExternalServer(() => ({ status: 200, body: `0123456789${VALUE.repeat(20)}9876543210` }));
  const client = clientOf(harness);

  const { id } = await client.startTurn({ input: callOnce, tools: [echo(tool.url, {})] });
  await harness.workUntilIdle();
  const { body } = await client.call<{ output: string }>('GET', `/v1/turns/${id}/tool_outputs/call_x`);

  expect(body.output).toBe(`0123456789${'[redacted]'.repeat(20)}9876543210`);
  expect(JSON.stringify([harness.modelRequests, await everyRow(harness)])).not.toMatch(TRACE);
});

test('answers of clients are redacted too, for each secret that Pawl has', async ({ harness }) => {
  const client = clientOf(harness);
  const { execution, ...definition } = echo('http://127.0.0.1:9/', {});
  const calls = ['call_1', 'call_2'].map((id) => ({ name: 'echo', arguments: { city: id }, id }));

  const { id } = await client.startTurn({ input: scripted({ rounds: [{ tools: calls }] }), tools: [definition] });
  await harness.workUntilIdle();
  const answers = [
    { tool_call_id: 'call_1', output: { keys: [VALUE, 'key-of-beta'] } },
    { tool_call_id: 'call_2', error: { category: 'unknown', message: `no ${VALUE}`, details: { [VALUE]: [VALUE] } } },
  ];
  const { status, body } = await client.call<TurnResource>('POST', `/v1/turns/${id}/tool_outputs`, {
    body: { tool_outputs: answers },
  });

  expect(status).toBe(200);
  expect(body.rounds[0]?.results).toMatchObject([
    { content: '{"keys":["[redacted]","[redacted]"]}' },
    { error: { message: 'no [redacted]', details: { '[redacted]': ['[redacted]'] } } },
  ]);
  expect(JSON.stringify(await everyRow(harness))).not.toMatch(TRACE);
});

test('an unknown or forbidden secret is refused with the name of its header', async ({ harness }) => {
  const url = 'https://api.example.net/';
  const refusalOf = async (project: string, path: string, header: string) => {
    const body = { model: 'openai/test', input: 'Hi', tools: ['weather_lookup', echo(url, { 'X-Key': header })] };
    const { status, body: answer } = await clientOf(harness, project).call<{ error?: Record<string, string> }>(
      ...(['POST', path, { body }] as const),
    );
    return `${status} ${answer.error?.code}: ${answer.error?.param}`;
  };

  const refusals = [
    await refusalOf('alpha', '/v1/turns', `Bearer ${secret('nobodys')}`),
    await refusalOf('alpha', '/v1/conversations', secret('elsewhere')),
    await refusalOf('beta', '/v1/turns', secret('alphas')),
    await refusalOf('alpha', '/v1/turns', secret('alphas')),
  ];

  expect(refusals).toEqual([
    '400 unknown_secret: tools[1].execution.headers.X-Key',
    '400 secret_not_allowed: tools[1].execution.headers.X-Key',
    '400 secret_not_allowed: tools[1].execution.headers.X-Key',
    '202 undefined: undefined',
  ]);
});

test.each([
  ['taken away', new Map()],
  ['bound to another host', new Map([['github', { value: VALUE, hosts: ['api.example.com'] }]])],
  ['bound to another project', new Map([['github', { value: VALUE, projects: ['beta'] }]])],
])('a secret that was %s since the turn began is not sent, and its call is denied', async (_how, toolSecrets) => {
  await using harness = await createHarness({ env });
  await using tool = await openEcho();
  const client = clientOf(harness);

  const { id } = await client.startTurn({ input: callOnce, tools: [echo(tool.url, { 'x-key': secret('github') })] });
  const handle = jobHandler({ ...harness.worker, toolSecrets });
  while (await harness.workOnce(handle));

  expect(tool.caught).toHaveLength(0);
  expect(await client.findTurn(id)).toMatchObject({
    status: 'completed',
    rounds: [{ results: [{ attempts: 1, error: { category: 'permission_denied' } }] }, {}],
  });
});

function pathsOf(turn: string, conversation: string): string[] {
  const formats = ['compact', 'openai', 'anthropic', 'gemini'];
  return [
    ...[`/v1/turns/${turn}`, `/v1/conversations/${conversation}`, '/v1/turns', '/v1/conversations'],
    ...['rounds', 'events', 'tool_outputs/call_x'].map((part) => `/v1/turns/${turn}/${part}`),
    ...formats.map((format) => `/v1/conversations/${conversation}/messages?format=${format}`),
  ];
}

/** Returns each row of each table as text, also of the queue. */
async function everyRow({ db }: Harness): Promise<string[]> {
  const tables = await sql<{ schema: string; name: string }>`select table_schema as schema, table_name as name
    from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')`.execute(db);
  const rows = await Promise.all(
    tables.rows.map(({ schema, name }) =>
      sql<{ text: string }>`select t::text as text from ${sql.table(`${schema}.${name}`)} t`.execute(db),
    ),
  );
  expect(rows.length).toBeGreaterThan(8);
  return rows.flatMap((table) => table.rows.map(({ text }) => text));
}
