import { sql } from 'kysely';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { isTerminal } from '#core/turn/turn.ts';
import { letTimePass } from '#test/harness/create-harness.ts';
import type { Installation, Surroundings } from './installation.ts';
import { list } from './read-answers.ts';
import type { End, Outcome } from './recorded.ts';

/** The time after which every turn must have ended. */
const MOST_MINUTES = 30;

/** Answers the turns that wait for a client, and works until all turns have ended. Returns the effects. */
export async function takeOver(installation: Installation, surroundings: Surroundings): Promise<Outcome> {
  const { harness } = installation;
  surroundings.tools.release();
  surroundings.receiver.trust(await listSecrets(installation));
  await answerClients(installation);
  await harness.queueDelayed();
  await harness.fireSchedules();
  await harness.rescue();
  await harness.workUntilIdle();
  await harness.workBulks();
  for (let minute = 0; minute < MOST_MINUTES && (await isAnyActive(installation)); minute += 1) {
    await letTimePass(harness);
    await harness.wakeWaiting();
    await harness.workBatches();
    await harness.workUntilIdle();
  }
  await harness.closeResponses();
  await harness.workBatches();
  await harness.deliver();
  return collect(installation, surroundings);
}

async function listSecrets({ harness }: Installation): Promise<string[]> {
  const query = sql<{ secret: string }>`select secret from webhook_secrets union select secret from webhook_endpoints`;
  return (await query.execute(harness.db)).rows.map(({ secret }) => secret);
}

/** Posts the outputs and approvals that turns wait for. A turn of the scene `denied` is denied. */
async function answerClients({ main }: Installation): Promise<void> {
  for (const turn of await list<TurnResource>({ main }, '/v1/turns')) {
    const { id, required_action: action, metadata } = await main.findTurn(turn.id);
    const outputs = action?.tool_outputs.map((call) => ({ tool_call_id: call.id, output: 'yes' })) ?? [];
    const decision = metadata.scene === 'denied' ? 'deny' : 'allow';
    const approvals = action?.approvals.map((call) => ({ tool_call_id: call.id, decision })) ?? [];
    if (outputs.length > 0) await mustPost(`/v1/turns/${id}/tool_outputs`, { tool_outputs: outputs });
    if (approvals.length > 0) await mustPost(`/v1/turns/${id}/approvals`, { approvals });
  }

  async function mustPost(path: string, body: object): Promise<void> {
    const { status, body: answer } = await main.call('POST', path, { body });
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
  }
}

async function isAnyActive({ main, narrow }: Installation): Promise<boolean> {
  const turns = [...(await list<TurnResource>({ main }, '/v1/turns')), ...(await listNarrow(narrow))];
  return turns.some(({ status }) => !isTerminal(status));
}

function listNarrow(narrow: Installation['narrow']): Promise<TurnResource[]> {
  return list({ main: narrow }, '/v1/turns');
}

async function collect(installation: Installation, { tools, receiver }: Surroundings): Promise<Outcome> {
  const { main, narrow, harness } = installation;
  const ends: Outcome['ends'] = {};
  const sceneOf = new Map<string, string>();
  for (const client of [main, narrow])
    for (const { id } of (await list<TurnResource>({ main: client }, '/v1/turns')).toReversed()) {
      const turn = await client.findTurn(id);
      const scene = String(turn.metadata.scene);
      sceneOf.set(id, scene);
      ends[scene] = [...(ends[scene] ?? []), endOf(turn, await client.listEvents(id))];
    }
  const asked = Map.groupBy(harness.modelRequests, ({ headers }) => sceneOfRequest(headers, sceneOf));
  return {
    ends: sorted(ends),
    asked: sorted(Object.fromEntries([...asked].map(([scene, requests]) => [scene, requests.map(roundOf).sort()]))),
    calls: tools.calls.map(({ tool, mark }) => `${tool} ${mark}`).sort(),
    webhooks: receiver.received
      .map(({ turnId, type, answered }) => `${sceneOf.get(turnId)} ${type} ${answered}`)
      .sort(),
    bulks: (
      await sql<{ bulk: unknown }>`select json_build_object('action', action, 'matched', matched, 'done', done,
      'failed', failed, 'left', (select count(*) from bulk_turns where bulk_id = bulks.id)) as bulk
      from bulks`.execute(harness.db)
    ).rows.map(({ bulk }) => bulk),
    turns:
      (await sql<{ count: number }>`select count(*)::int as count from turns`.execute(harness.db)).rows[0]?.count ?? 0,
  };
}

type Headers = Installation['harness']['modelRequests'][number]['headers'];

/** Reads `<turn>.<round>.<generation>`, the name of a request to the model. */
function partsOf(headers: Headers): string[] {
  return String(headers['x-client-request-id']).split('.');
}

function sceneOfRequest(headers: Headers, sceneOf: Map<string, string>): string {
  const [turnId = ''] = partsOf(headers);
  return sceneOf.get(turnId) ?? 'unknown';
}

function roundOf({ headers }: { headers: Headers }): string {
  return partsOf(headers)[1] ?? '';
}

function endOf(turn: TurnResource, events: Record<string, unknown>[]): End {
  return {
    status: turn.status,
    output: turn.output,
    reason: turn.error?.code ?? turn.incomplete_details?.reason ?? null,
    rounds: turn.rounds.map((round) => ({
      text: round.assistant_response,
      results: round.results.map(({ status, error, content }) => `${error?.category ?? status}: ${content}`),
    })),
    events: events.map(({ type }) => String(type)),
  };
}

function sorted<Value>(record: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
}
