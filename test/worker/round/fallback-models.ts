import { test as base } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { createHarness, type Harness } from '#test/harness/create-harness.ts';
import { opening } from '#test/harness/opening.ts';
import { anthropicWire } from '#test/llm/anthropic-wire.ts';
import { openaiWire } from '#test/llm/openai-wire.ts';
import { type Answer, startWireServer, type WireServer } from '#test/llm/wire-server.ts';

export const FIRST = 'openai/first';
export const SECOND = 'anthropic/second';
export const THIRD = 'third/model';

type Models = AsyncDisposable & { harness: Harness; first: WireServer; second: WireServer; third: WireServer };

/** Starts three providers: a provider with Anthropic's wire between two with OpenAI's wire. The last two answer. */
export async function startModels(env: Record<string, string> = {}, ofThird: object = {}): Promise<Models> {
  const [first, second, third] = await Promise.all([startWireServer(), startWireServer(), startWireServer()]);
  const providers = { third: { kind: 'openai', base_url: third.origin, ...ofThird } };
  const harness = await createHarness({
    env: {
      ...{ OPENAI_BASE_URL: first.origin, ANTHROPIC_BASE_URL: second.origin, ANTHROPIC_API_KEY: 'none-at-all' },
      PAWL_PROVIDERS: JSON.stringify(providers),
      ...env,
    },
  });
  second.answer({ body: anthropicWire.reply({ text: ['Second here.'] }) });
  third.answer({ body: openaiWire.reply({ text: ['Third here.'] }) });
  const dispose = async () => {
    await harness[Symbol.asyncDispose]();
    await Promise.all([first, second, third].map((server) => server[Symbol.asyncDispose]()));
  };
  return { harness, first, second, third, [Symbol.asyncDispose]: dispose };
}

/** A test that can use `models` with the ordinary settings. */
export const test = base.extend('models', opening(startModels));

const request = { model: FIRST, fallback_models: [SECOND], input: 'Hi' };

/** Starts a turn with the first model and the second as its fallback. */
export function start(harness: Harness, own: Record<string, unknown> = {}): Promise<TurnResource> {
  return harness.startTurn({ ...request, ...own });
}

/** Starts the same turn, and runs it until it waits or has ended. */
export function run(harness: Harness, own: Record<string, unknown> = {}): Promise<TurnResource> {
  return harness.runTurn({ ...request, ...own });
}

export const typesOf = async (harness: Harness, id: string) => (await harness.listEvents(id)).map(({ type }) => type);

/** A refusal, as both wires send it. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: [JSON.stringify({ error: { message: code, code, type: code } })],
});
