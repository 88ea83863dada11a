import { request as forward } from 'node:http';
import { expect } from 'vitest';
import { connectPawl } from '#client/connect-pawl.ts';
import { createHarness } from '#test/harness/create-harness.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { openExternalServer } from '#test/harness/servers/external-server.ts';
import { test } from '#test/harness/test.ts';

/** A reverse proxy that serves `target` below `/pawl/` only. */
async function openStrippingProxy() {
  const at = { target: '' };
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/pawl/')) return void response.writeHead(404).end('not of Pawl');
    const { method, headers } = request;
    const onward = forward(at.target + request.url.slice('/pawl'.length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);
  return {
    url: `${origin}/pawl`,
    serve: (target: string) => Object.assign(at, { target }),
    [Symbol.asyncDispose]: close,
  };
}

async function openBelowPrefix() {
  const proxy = await openStrippingProxy();
  const harness = await createHarness({ env: { PAWL_PUBLIC_URL: `${proxy.url}/` } });
  proxy.serve(harness.url);
  return {
    ...{ url: proxy.url, harness },
    [Symbol.asyncDispose]: async () => {
      await harness[Symbol.asyncDispose]();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

test('every Location header includes the prefix and resolves to its resource', async () => {
  await using pawl = await openBelowPrefix();
  await using receiver = await openExternalServer();
  const turn = { model: 'openai/test', input: 'Hi' };
  const requests: [string, object][] = [
    ['/v1/turns', turn],
    ['/v1/conversations', {}],
    ['/v1/schedules', { every_seconds: 3600, turn }],
    ['/v1/webhook_endpoints', { url: receiver.url }],
    ['/v1/bulk', { action: 'cancel', filter: { status: 'queued' } }],
  ];

  for (const [path, body] of requests) {
    const headers = { 'content-type': 'application/json' };
    const made = await fetch(pawl.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const location = made.headers.get('location') ?? '';

    expect(location, await made.text()).toMatch(new RegExp(`^${pawl.url}${path}/[a-z0-9_]+$`));
    expect((await fetch(new URL(location, made.url))).status, path).toBe(200);
  }
});

test('the OpenAPI document names the URL with the prefix', async () => {
  await using pawl = await openBelowPrefix();

  const { servers } = (await (await fetch(`${pawl.url}/openapi.json`)).json()) as { servers: { url: string }[] };

  expect(servers).toEqual([{ url: pawl.url, description: 'This server.' }]);
  expect((await fetch(`${servers[0]?.url}/v1/turns`)).status).toBe(200);
});

test.each(['/', '/docs'])('all links of the page at %s include the prefix', async (page) => {
  await using pawl = await openBelowPrefix();
  const found = await fetch(pawl.url + page);
  const html = await found.text();

  const links = [...html.matchAll(/(?:href|src)="([^"#][^"]*)"/g)].map(
    ([, link = '']) => new URL(link, found.url).href,
  );
  const answers = await Promise.all(links.map(async (link) => [link, (await fetch(link)).status]));

  expect(links.length).toBeGreaterThan(2);
  expect(answers.filter(([, status]) => status !== 200)).toEqual([]);
});

test('the client lists, follows and reads turns below a prefix', async () => {
  await using pawl = await openBelowPrefix();
  const client = connectPawl({ baseUrl: pawl.url });
  const { id } = await pawl.harness.startTurn({ input: 'Hi' });
  await pawl.harness.startTurn({ input: 'Hi again' });
  await pawl.harness.workUntilIdle();

  const listed: string[] = [];
  for await (const turn of client.turns.list({ limit: 1 })) listed.push(turn.id);
  const events: string[] = [];
  for await (const { type } of client.turns.attach(id).events()) events.push(type);

  expect([listed.length, events.at(-1)]).toEqual([2, 'turn.completed']);
});

test('a Location header is a path if PAWL_PUBLIC_URL is not set', async ({ harness }) => {
  const headers = { 'content-type': 'application/json' };

  const made = await fetch(`${harness.url}/v1/conversations`, { method: 'POST', headers, body: '{}' });

  expect(made.headers.get('location')).toMatch(/^\/v1\/conversations\/conv_/);
});

test('an idle connection lives longer than the 60 s of most load balancers', async ({ harness }) => {
  const answer = await fetch(`${harness.url}/healthz`, { headers: { connection: 'keep-alive' } });

  expect(Number(answer.headers.get('keep-alive')?.replace('timeout=', ''))).toBeGreaterThan(60);
});
