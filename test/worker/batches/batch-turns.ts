import { sql } from 'kysely';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { isTerminal } from '#core/turn/turn.ts';
import { createHarness, type Harness, type HarnessOptions } from '#test/harness/create-harness.ts';
import { scripted } from '#test/harness/scripted.ts';
import { testWith } from '#test/harness/test.ts';

const answer = 'It is sunny in Tokyo.';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

/** A model on each wire that has a batch API, by the provider of the model. */
export const MODELS = {
  chat: 'openai/gpt-4.1',
  responses: 'resp/gpt-6',
  anthropic: 'claude/claude-opus-5',
  gemini: 'gem/gemini-3-pro',
} as const;

/** Returns the settings of a worker with its providers at an address. */
export function envAt(modelUrl: string): Record<string, string> {
  const root = modelUrl.replace(/\/v1$/, '');
  const price = { input: 2, output: 20, tiers: { batch: { input: 1, output: 10 } } };
  return {
    OPENAI_BASE_URL: modelUrl,
    PAWL_PROVIDERS: JSON.stringify({
      resp: { kind: 'openai-responses', base_url: modelUrl, api_key: 'sk-test' },
      claude: { kind: 'anthropic', base_url: root, api_key: 'sk-test' },
      gem: { kind: 'gemini', base_url: root, api_key: 'sk-test' },
    }),
    PAWL_PRICES: JSON.stringify(Object.fromEntries(Object.values(MODELS).map((model) => [model, price]))),
  };
}

/** A test with a provider on each wire that has a batch API. */
export const test = testWith({ env: envAt });

/** Opens a harness with more options. */
export function openBatches(options: HarnessOptions = {}): Promise<Harness> {
  return createHarness({ env: envAt, ...options });
}

/** Starts a turn by batch from a script, and runs its first job. */
export async function enter(
  harness: Harness,
  script: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Promise<TurnResource> {
  const turn = await harness.startTurn({
    ...{ model: MODELS.chat, service_tier: 'batch', tools: ['weather_lookup'] },
    ...{ input: scripted({ answer, ...script }), ...more },
  });
  await harness.workUntilIdle();
  return harness.findTurn(turn.id);
}

/** Lets a minute or another time pass, works on batches, and runs the woken rounds. */
export async function pass(harness: Harness, ms: number = MINUTE_MS): Promise<void> {
  await harness.advance(ms);
  await harness.workBatches();
  await harness.rescue();
  await harness.workUntilIdle();
}

/** Lets minutes pass until a turn has ended. */
export async function untilEnded(harness: Harness, turnId: string, { most = 60 } = {}): Promise<TurnResource> {
  for (let minutes = 0; minutes < most; minutes += 1) {
    const turn = await harness.findTurn(turnId);
    if (isTerminal(turn.status)) return turn;
    await pass(harness);
  }
  throw new Error(`${turnId} has not ended within ${most} minutes`);
}

/** Returns the rows of batches and of their requests. */
export async function rowsOf({ db }: Harness) {
  const batches = await sql<{
    id: string;
    state: string;
    owner: string | null;
    refusals: number;
    provider_id: string | null;
  }>`
    select id, state, owner, refusals, provider_id from batches order by id`.execute(db);
  const requests = await sql<{ id: string; state: string; batch_id: string | null }>`
    select id, state, batch_id from batch_requests order by id`.execute(db);
  return { batches: batches.rows, requests: requests.rows };
}

/** Returns the counted usage of a model: the sums of the records. */
export async function usageOf({ db }: Harness): Promise<{ rounds: number; outputTokens: number }> {
  const { rows } = await sql<{ rounds: number; outputTokens: number }>`
    select coalesce(sum(rounds), 0)::int as rounds, coalesce(sum(output_tokens), 0)::int as "outputTokens"
    from usage_records`.execute(db);
  return rows[0] ?? { rounds: 0, outputTokens: 0 };
}
