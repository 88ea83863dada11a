import { expect, test } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import {
  anthropic,
  chat,
  type ForgetfulServer,
  gemini,
  responses,
  type StateRefusal,
  type StateWire,
  startForgetfulServer,
} from './forgetful-server.ts';

const WARNING = 'provider state was refused and left out';

const openai = (message: string, { status = 400, code = null as string | null } = {}): StateRefusal => ({
  ...{ status, error: { error: { message, type: 'invalid_request_error', param: null, code } } },
});
const claude = (message: string): StateRefusal => ({
  ...{ status: 400, error: { type: 'error', error: { type: 'invalid_request_error', message } } },
});
const google = (message: string): StateRefusal => ({
  ...{ status: 400, error: { error: { code: 400, message, status: 'INVALID_ARGUMENT' } } },
});

type Case = { wire: StateWire; refusal: StateRefusal; words: string };
const refusals: [StateWire, StateRefusal, string][] = [
  [
    responses,
    openai('The encrypted content gAAA could not be verified.', { code: 'invalid_encrypted_content' }),
    'encrypted content could not be verified',
  ],
  [
    responses,
    openai("Item with id 'rs_1' not found. Items are not persisted when `store` is set to false.", { status: 404 }),
    'an item was not found',
  ],
  [
    responses,
    openai('Reasoning input items can only be provided to a reasoning or computer use model. Remove them.'),
    'a model does not reason',
  ],
  [anthropic, claude('messages.1.content.0: Invalid `signature` in `thinking` block'), 'a signature is invalid'],
  [anthropic, claude('container: Container container_01 has expired'), 'a container has expired'],
  [gemini, google('Thought signature is not valid'), 'a thought signature is not valid'],
  [gemini, google('Invalid value at contents[1].parts[0].thought_signature'), 'a thought_signature is invalid'],
  [chat, openai('Invalid value for messages[1].reasoning_content'), 'reasoning_content is invalid'],
];
const cases: Case[] = refusals.map(([wire, refusal, words]) => ({ wire, refusal, words }));

type Opened = AsyncDisposable & { harness: Harness; server: ForgetfulServer; openAgain(): Promise<Harness> };

async function open({ wire, refusal }: Case, script: ('call' | 'answer')[]): Promise<Opened> {
  const stack = new AsyncDisposableStack();
  const server = stack.use(await startForgetfulServer(wire, { refusal, script }));
  const url = server.origin;
  const env = {
    ...{ OPENAI_BASE_URL: url, ANTHROPIC_BASE_URL: url, GEMINI_BASE_URL: url },
    ...{ ANTHROPIC_API_KEY: 'none-at-all', GEMINI_API_KEY: 'none-at-all' },
    PAWL_PROVIDERS: JSON.stringify({ responses: { kind: 'openai-responses', base_url: url } }),
  };
  const harness = stack.use(await createHarness({ env }));
  const openAgain = async () => stack.use(await createHarness({ beside: harness, env }));
  return {
    ...{ harness, server, openAgain },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

type Wire = Pick<StateWire, 'model'> & { tool_mode?: string };

async function say(harness: Harness, { model, tool_mode }: Wire, conversationId: string | null = null) {
  const path = conversationId ? `/v1/conversations/${conversationId}/turns` : '/v1/turns';
  const { status, body } = await harness.call<TurnResource>('POST', path, {
    body: { model, input: 'How is Bern?', tools: ['weather_lookup'], ...(tool_mode ? { tool_mode } : {}) },
  });
  if (status !== 202) throw new Error(JSON.stringify(body));
  await harness.workUntilIdle();
  return harness.findTurn(body.id);
}

const statesOf = ({ requests }: ForgetfulServer) => requests.map(({ states }) => [...new Set(states)]);
const refusedOf = ({ requests }: ForgetfulServer) => requests.flatMap(({ isRefused }, at) => (isRefused ? [at] : []));

/** Expects that the history of each request after a refusal begins with the history of the request before. */
function expectGrowing(server: ForgetfulServer): void {
  const after = server.requests.slice(refusedOf(server).at(-1)! + 1).map(({ history }) => history);
  expect(after.length).toBeGreaterThan(2);
  for (const [at, earlier] of after.slice(0, -1).entries()) {
    expect(after[at + 1]!.slice(0, earlier.length)).toEqual(earlier);
  }
}

test.for(cases)('$wire.name: state of an earlier turn is permanently omitted if $words', async (each) => {
  await using opened = await open(each, ['call', 'answer']);
  const { harness, server, openAgain } = opened;
  const { wire } = each;
  const { conversation_id: conversation } = await say(harness, wire);
  server.forget();

  const second = await say(harness, wire, conversation);
  const third = await say(await openAgain(), wire, conversation);

  expect([second, third].map(({ status, round, output }) => [status, round, output])).toEqual(
    Array(2).fill(['completed', 2, 'Sunny.']),
  );
  expect([second.warnings, third.warnings]).toEqual([[WARNING], []]);
  expect(refusedOf(server)).toEqual([2]);
  expect(statesOf(server)).toEqual([
    ...[[], ['state-1']],
    ...[['state-1', 'state-2'], [], ['state-3']],
    ...[
      ['state-3', 'state-4'],
      ['state-3', 'state-4', 'state-5'],
    ],
  ]);
  expectGrowing(server);
});

test.for(cases)('$wire.name: a round is repeated without an attempt if $words', async (each) => {
  await using opened = await open(each, ['call', 'call', 'call', 'answer']);
  const { harness, server } = opened;
  const started = harness.startTurn({ model: each.wire.model, input: 'How is Bern?', tools: ['weather_lookup'] });
  const { id } = await started;
  // The queue hands out one step at a time: the round, then its tools.
  while ((await harness.findTurn(id)).rounds.length < 1) await harness.workOnce();
  server.forget();

  await harness.workUntilIdle();
  const turn = await harness.findTurn(id);

  expect(turn).toMatchObject({ status: 'completed', round: 4, warnings: [WARNING], output: 'Sunny.' });
  expect(refusedOf(server)).toEqual([1]);
  expect(statesOf(server)).toEqual([[], ['state-1'], [], ['state-2'], ['state-2', 'state-3']]);
  expectGrowing(server);
  const [, refused, again] = server.requests;
  expect(again!.id).toBe(refused!.id);
  const types = (await harness.listEvents(id)).map(({ type }) => String(type));
  expect(types.filter((type) => /retr|fail/.test(type))).toEqual([]);
});

test.for(cases)('$wire.name: a server that refuses every history is asked twice, if $words', async (each) => {
  await using opened = await open(each, ['call', 'answer']);
  const { harness, server } = opened;
  const { conversation_id: conversation } = await say(harness, each.wire);
  server.refuseAll();

  const turn = await say(harness, each.wire, conversation);

  expect(turn.status).toBe('failed');
  expect(refusedOf(server)).toEqual([2, 3]);
});

const modes = [anthropic, responses].flatMap((wire) => {
  const each = cases.find((one) => one.wire === wire)!;
  return (['inline', 'emulated'] as const).map((tool_mode) => ({ ...each, name: wire.name, tool_mode }));
});

test.for(modes)('$name: state is permanently omitted if a turn in the mode $tool_mode learned it', async (each) => {
  await using opened = await open(each, ['answer']);
  const { harness, server } = opened;
  const { model } = each.wire;
  const { conversation_id: conversation } = await say(harness, each.wire);
  server.forget();

  const second = await say(harness, { model, tool_mode: each.tool_mode }, conversation);
  const third = await say(harness, each.wire, conversation);

  expect([second, third].map(({ status }) => status)).toEqual(['completed', 'completed']);
  expect(second.warnings).toContain(WARNING);
  expect(third.warnings).toEqual([]);
  expect(refusedOf(server)).toEqual([1]);
});
