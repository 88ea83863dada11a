import { sql } from 'kysely';
import { test as base } from 'vitest';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { timing } from '#core/turn/timing.ts';
import { createHarness, type Harness, letTimePass } from '#test/harness/create-harness.ts';
import { opening } from '#test/harness/opening.ts';
import { type FlexServer, startFlexServer } from '#test/llm/service-tiers/flex-server.ts';
import type { ScriptedReply } from '#test/llm/wire-script.ts';

/** A model with service tiers, and a model of another provider with service tiers. */
export const MODEL = 'openai/test';
export const OTHER = 'other/test';

const ordinary = { input: 2, output: 8 };
const flex = { input: 1, output: 4 };

/** The cost of a round on each tier, in US dollars: 1,000 tokens of input and 100 of output. */
export const COSTS = { default: 0.0028, flex: 0.0014 };

type Flex = AsyncDisposable & { harness: Harness; server: FlexServer; other: FlexServer };
type Options = { reply?: (results: number) => ScriptedReply; env?: Record<string, string>; redis?: boolean };

/**
 * Starts a service with two providers with service tiers. Both models have a price for the ordinary tier and for
 * flex.
 */
export async function openFlex({ reply, env = {}, redis = false }: Options = {}): Promise<Flex> {
  const [server, other] = await Promise.all([
    startFlexServer(reply),
    startFlexServer(() => ({ text: ['Other here.'] })),
  ]);
  const price = { ...ordinary, tiers: { flex } };
  const harness = await createHarness({
    redis,
    env: {
      OPENAI_BASE_URL: server.baseUrl,
      PAWL_PROVIDERS: JSON.stringify({ other: { kind: 'openai', base_url: other.baseUrl } }),
      PAWL_PRICES: JSON.stringify({ [MODEL]: price, [OTHER]: price }),
      ...env,
    },
  });
  const dispose = async () => {
    await harness[Symbol.asyncDispose]();
    await Promise.all([server[Symbol.asyncDispose](), other[Symbol.asyncDispose]()]);
  };
  return { harness, server, other, [Symbol.asyncDispose]: dispose };
}

/** A test that can use an open service with the ordinary options, or its parts. */
export const test = base
  .extend('opened', opening(openFlex))
  .extend('harness', ({ opened }) => opened.harness)
  .extend('server', ({ opened }) => opened.server)
  .extend('other', ({ opened }) => opened.other);

export function start(harness: Harness, own: Record<string, unknown> = {}): Promise<TurnResource> {
  return harness.startTurn({ ...onFlex, ...own });
}

const onFlex = { model: MODEL, input: 'Hi', service_tier: 'flex' };

/** Starts the same turn, and runs it until it waits or has ended. */
export function run(harness: Harness, own: Record<string, unknown> = {}): Promise<TurnResource> {
  return harness.runTurn({ ...onFlex, ...own });
}

/** The longest pause between two requests of a round. After it the turn is late, and is rescued. */
const LONGEST_PAUSE_MS = 301_000 + timing.graceMs;

/** Lets the pause of a waiting round pass, and runs the jobs that are due then. */
export async function passTime(harness: Harness, ms = LONGEST_PAUSE_MS): Promise<void> {
  await letTimePass(harness, ms);
}

export async function passPauses(harness: Harness, pauses: number): Promise<void> {
  for (let pause = 0; pause < pauses; pause += 1) await passTime(harness);
}

export async function typesOf(harness: Harness, id: string): Promise<unknown[]> {
  return (await harness.listEvents(id)).map(({ type }) => type);
}

export async function tierChanges(harness: Harness, id: string): Promise<Record<string, unknown>[]> {
  return (await harness.listEvents(id)).filter(({ type }) => type === 'tier.changed');
}

export type WaitingRow = {
  attempts: number;
  waited_ms: number;
  tier_wait: { refusals: number; since: string; tier: string | null } | null;
  /** Milliseconds until the next request of the round. */
  delay: number | null;
};

/** Returns the wait columns in the row of a turn. */
export async function rowOf(harness: Harness, id: string): Promise<WaitingRow> {
  const { rows } = await sql<WaitingRow>`select attempts, waited_ms, tier_wait,
    extract(epoch from retry_at - now())::double precision * 1000 as delay from turn_states where id = ${id}`.execute(
    harness.db,
  );
  return rows[0]!;
}

/** Builds replies that call a tool until the model has seen this number of results. */
export function callUntil(results: number): (seen: number) => ScriptedReply {
  return (seen) => {
    if (seen >= results) return { text: ['Sunny.'] };
    return { calls: [{ id: `call_${seen}`, name: 'weather_lookup', arguments: [`{"city":"City ${seen}"}`] }] };
  };
}
