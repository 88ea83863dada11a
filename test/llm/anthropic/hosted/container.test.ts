import { expect, test } from 'vitest';
import type { RoundRequest } from '#core/llm/provider.ts';
import { user } from '#test/llm/history.ts';
import { answer, askHosted, serverCall, spoken, startHostedServer, words } from './hosted-server.ts';

const hostedTools = [{ type: 'code_execution' as const }];
const printed = { type: 'bash_code_execution_result', stdout: '42', stderr: '', return_code: 0, content: [] };
const ran = (id: string) => ({ type: 'bash_code_execution_tool_result', tool_use_id: id, content: printed });
const runs = (id: string, container?: object) =>
  answer([serverCall(id, 'bash_code_execution', { command: 'x' }), ran(id), words('It is 42.')], {
    ...(container ? { container } : {}),
  });
const plain = answer([words('You are welcome.')]);
const [past, future] = ['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z'];
const made = (expires_at: string) => ({ id: 'container_1', expires_at, skills: null });

/** Asks for a first turn, and then for a second turn after it. */
async function askTwice(server: { origin: string }, change: Partial<RoundRequest> = {}) {
  const { ask } = askHosted(server);
  const first = await ask({ hostedTools });
  const messages = [user('Hi'), spoken(first), user('Thanks.')];
  const second = await ask({ hostedTools, messages, ...change });
  return { ask, first, second, messages: [...messages, spoken(second), user('Again.')] };
}

test('the next request names the container of the code, as a text', async () => {
  await using server = await startHostedServer(runs('s', made(future)), plain);

  const { second, ask, messages } = await askTwice(server);
  await ask({ hostedTools, messages });

  expect(server.refused).toEqual([]);
  expect(server.asked.map(({ container }) => container)).toEqual([undefined, 'container_1', 'container_1']);
  expect(second).not.toHaveProperty('warnings');
});

test.for([
  ['no container without a hosted tool', { hostedTools: [] }, undefined],
  ['the container of the caller', { providerOptions: { container: 'mine' } }, 'mine'],
  ['no container if the caller removes it', { providerOptions: { container: null } }, undefined],
  [
    'the container with the skills of the caller',
    { providerOptions: { container: { skills: [] } } },
    { skills: [], id: 'container_1' },
  ],
  [
    'the container for a tool of the caller',
    { hostedTools: [], providerOptions: { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] } },
    'container_1',
  ],
] as const)('the next request has %s', async ([, change, container]) => {
  await using server = await startHostedServer(runs('s', made(future)), plain);

  await askTwice(server, change as unknown as Partial<RoundRequest>);

  expect(server.refused).toEqual([]);
  expect(server.asked[1]!.container).toEqual(container);
});

test.for([
  [400, 'Container container_1 has expired.', future],
  [404, 'container: container_1 not found', future],
  [500, 'Internal server error', past],
] as const)('a container that is refused with %i is left out from then on', async ([status, refuses, expiry]) => {
  await using server = await startHostedServer(runs('s', made(expiry)), { status, refuses }, plain);

  const { second, ask, messages } = await askTwice(server);
  await ask({ hostedTools, messages });

  expect(server.refused).toEqual([]);
  const containers = server.asked.map(({ container }) => container);
  expect(containers).toEqual([undefined, 'container_1', undefined, undefined]);
  expect(server.asked[2]!.messages).toEqual(server.asked[1]!.messages);
  expect(second).toMatchObject({
    text: 'You are welcome.',
    warnings: ['the container of earlier code has expired, so code starts in a new container'],
  });
  expect(second).not.toHaveProperty('leftStateOut');
});

test('a reply after a lost container names its own new container', async () => {
  const gone = { status: 400, refuses: 'Container container_1 has expired.' };
  const anew = runs('s2', { id: 'container_2', expires_at: future });
  await using server = await startHostedServer(runs('s', made(future)), gone, anew, plain);

  const { ask, messages } = await askTwice(server);
  await ask({ hostedTools, messages });

  expect(server.asked.at(-1)!.container).toBe('container_2');
});

test('a server error with a container that has not expired is a temporary failure', async () => {
  const broken = { status: 500, refuses: 'Internal server error' };
  await using server = await startHostedServer(runs('s', made(future)), broken);

  const asking = askTwice(server);

  await expect(asking).rejects.toMatchObject({ code: 'provider_unavailable', retry: { kind: 'later' } });
  expect(server.asked).toHaveLength(2);
});
