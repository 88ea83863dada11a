import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import type { AgentResource } from '#core/turn/resource/agent.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import type { Scene, SceneBatches } from './lane.ts';
import type { Seen } from './recorder.ts';

/** One call: its answer in the turn, and the keys that its tool was called with. */
export type ObservedCall = { name: string; answer: string; isUnknown: boolean; ownKey: string; keys: string[] };

/** A webhook that reached the receiver. `isGenuine`: its signature and id are those of its event. */
export type ObservedWebhook = { id: string; type: string; isGenuine: boolean };

/** A turn as callers see it, without times. */
export type ObservedTurn = {
  end: unknown;
  calls: ObservedCall[];
  events: string[];
  numbers: unknown[];
  /** The requests that reached the model, with their tier and the generation of their attempt. */
  modelRequests: { round: string; messages: string; tier: string | null; generation: number }[];
  /** The requests to read, follow, cancel or delete a response at the model, with the round that created it. */
  responseRequests: { round: string; kind: string }[];
  /** The ids of the responses that the model still keeps. */
  keptResponses: string[];
  webhooks: ObservedWebhook[];
};

/** A webhook endpoint, and the webhooks about it that other endpoints received. */
export type ObservedEndpoint = { state: unknown; webhooks: ObservedWebhook[] };

/**
 * A scene after its end, as the API, the tools, the receiver and the model saw it. In the whole database, `strayWork`
 * counts the rows of `work` without an active turn, and the active turns without a row of `work`.
 */
export type Observed = {
  turns: ObservedTurn[];
  endpoints: ObservedEndpoint[];
  agents: unknown;
  blobs: ObservedBlobs;
  strayWork: number;
  /** The rows of responses that are not deleted at the model, and the usage of the whole scene. */
  responseRows: number;
  /** The rows of batches, and the batches at the model. */
  batchRows: number;
  batches: SceneBatches;
  usage: unknown;
};

/**
 * The number of blobs that turns of the scene refer to. `stray` counts blobs without a reference, and references
 * without a turn, in the whole database.
 */
export type ObservedBlobs = { referred: number; stray: number };

/** Reads the scene through its API and its recorders. */
export async function observe(scene: Scene): Promise<Observed> {
  const [turns, endpoints] = [await scene.turns(), await scene.endpoints()];
  const own = await secretsAt(scene, '/v1/webhook_secret');
  const theirs = await Promise.all(endpoints.map(({ id }) => secretsAt(scene, `/v1/webhook_endpoints/${id}/secret`)));
  const secrets = [...own, ...theirs.flat()];
  return {
    blobs: await blobsOf(scene, turns),
    strayWork: await countStrayWork(scene),
    responseRows: await scene.countResponses(),
    batchRows: await scene.countBatchRows(),
    batches: scene.batches(),
    agents: await agentsOf(scene),
    usage: (await scene.call<{ data: unknown }>('GET', '/v1/usage')).body.data,
    turns: await Promise.all(turns.map((turn) => observeTurn(scene, turn, secrets))),
    endpoints: endpoints.map(({ id, status, description, disabled_reason }, index) => ({
      state: { status, description, disabled_reason, secrets: theirs[index]?.length },
      webhooks: webhooksOf(scene.recorder.seenOf(id), secrets),
    })),
  };
}

/** Returns the agents without their ids and times, with all their versions. */
async function agentsOf({ call }: Scene): Promise<unknown> {
  const { body } = await call<{ data: AgentResource[] }>('GET', '/v1/agents');
  return Promise.all(
    body.data.map(async ({ id, name, labels, metadata }) => {
      const { body: versions } = await call<{ data: AgentResource[] }>('GET', `/v1/agents/${id}/versions`);
      return { name, labels, metadata, versions: versions.data.map(({ version, config }) => ({ version, config })) };
    }),
  );
}

async function blobsOf({ harness }: Scene, turns: TurnResource[]): Promise<ObservedBlobs> {
  const ids = turns.map(({ id }) => id);
  const { rows } = await sql<ObservedBlobs>`
    select (select count(*)::int from blob_references
        where turn_id in (select value from json_array_elements_text(${ids}::json))) as referred,
      (select count(*)::int from blobs where not exists (
        select from blob_references as reference
        where reference.project = blobs.project and reference.sha256 = blobs.sha256))
      + (select count(*)::int from blob_references where turn_id not in (select id from turns)) as stray`.execute(
    harness.db,
  );
  return rows[0]!;
}

async function countStrayWork({ harness }: Scene): Promise<number> {
  const { rows } = await sql<{ stray: number }>`
    select count(*)::int as stray from (select id from turns where completed_at is null) as active
    full join work using (id) where active.id is null or work.status is null`.execute(harness.db);
  return rows[0]!.stray;
}

async function secretsAt({ call }: Scene, path: string): Promise<string[]> {
  return (await call<{ secrets: string[] }>('GET', path)).body.secrets;
}

async function observeTurn(scene: Scene, turn: TurnResource, secrets: string[]): Promise<ObservedTurn> {
  const { status, output, error, incomplete_details, rounds, adopted_calls: adopted } = turn;
  const batches = [...(adopted ? [{ ...adopted, number: 0 }] : []), ...rounds];
  const seen = scene.recorder.seenOf(turn.id);
  const events = await scene.listEvents(turn.id);
  const replies = rounds.map(({ assistant_response, tool_calls, finish_reason }) => ({
    ...{ assistant_response, finish_reason },
    calls: tool_calls.map(({ id, name }) => `${id} ${name}`),
  }));
  return {
    end: { status, output, error: error?.code ?? null, incomplete_details, rounds: replies },
    calls: batches.flatMap((batch) => callsOf(turn, batch, seen)),
    events: events.map(({ type, round, tool_call_id }) => [type, round, tool_call_id].filter(Boolean).join(' ')),
    numbers: events.map(({ sequence_number }) => sequence_number),
    modelRequests: roundRequestsOf(scene, turn),
    responseRequests: responseRequestsOf(scene, turn),
    keptResponses: keptResponsesOf(scene, turn),
    webhooks: webhooksOf(seen, secrets).map((webhook) => ({
      ...webhook,
      isGenuine: webhook.isGenuine && events.some(({ id, type }) => id === webhook.id && type === webhook.type),
    })),
  };
}

type Batch = Pick<TurnResource['rounds'][number], 'number' | 'tool_calls' | 'results'>;

function callsOf(turn: TurnResource, { number, tool_calls, results }: Batch, seen: Seen[]): ObservedCall[] {
  return tool_calls.map(({ id, name }, index) => {
    const { tool_call_id, status, content, error } = results[index] ?? {};
    const path = `/${name.split('_').at(-1)}`;
    return {
      name,
      answer: [tool_call_id, status, content, error?.category].join(' '),
      isUnknown: error?.category === 'outcome_unknown',
      ownKey: `${turn.id}.${number}.${id}`,
      keys: seen.filter((one) => one.path === path).map(({ headers }) => String(headers['idempotency-key'])),
    };
  });
}

function roundRequestsOf({ harness }: Scene, { id }: TurnResource): ObservedTurn['modelRequests'] {
  return harness.modelRequests.flatMap(({ headers, body, sent }) => {
    const { turnId, round, generation } = attemptOf(headers['x-client-request-id']);
    const asked = { tier: body.service_tier ?? null, generation };
    return turnId === id ? [{ round, messages: JSON.stringify(sent.input ?? body.messages), ...asked }] : [];
  });
}

function responseRequestsOf({ harness }: Scene, { id }: TurnResource): ObservedTurn['responseRequests'] {
  return harness.responseRequests.flatMap(({ createdBy, kind }) => {
    const { turnId, round } = attemptOf(createdBy);
    return turnId === id ? [{ round, kind }] : [];
  });
}

function keptResponsesOf({ harness }: Scene, { id: turnId }: TurnResource): string[] {
  const kept = harness.keptResponses.list();
  return kept.flatMap(({ id, createdBy }) => (attemptOf(createdBy).turnId === turnId ? [id] : []));
}

/** Reads the name of a request: its turn, its round or the summary before the round, and its generation. */
function attemptOf(name: unknown): { turnId: string; round: string; generation: number } {
  const [turnId = '', number = '', attempt = ''] = String(name).split('.');
  const round = attempt.endsWith('s') ? `${number}, the summary before it,` : number;
  return { turnId, round, generation: Number.parseInt(attempt, 10) };
}

/** Checks each webhook as its receiver does, with the secrets only. */
function webhooksOf(seen: Seen[], secrets: string[]): ObservedWebhook[] {
  const posts = seen.filter(({ path }) => path.endsWith('hook'));
  return posts.map(({ headers, body }) => {
    const { id, type }: { id: string; type: string } = JSON.parse(body);
    const isSigned = secrets.some((secret) => isSignedWith(secret, headers, body));
    return { id, type, isGenuine: isSigned && headers['webhook-id'] === id };
  });
}

function isSignedWith(secret: string, headers: Seen['headers'], body: string): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
