import { stopBulkTurns } from '#core/checkpoint/bulk/stop-turns.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { workBulks } from '#services/worker/bulk/work-bulks.ts';
import { scripted } from '#test/harness/scripted.ts';
import { waitUntil } from '#test/harness/wait-until.ts';
import { type Installation, LIMITED_MODEL, MAIN, openInstallation } from '../installation.ts';
import { call, type Filling, markedTool, played, post, start } from './filling.ts';

const weather = { name: 'weather_lookup', arguments: { city: 'Rome' } };
const hang = { kind: 'hang' as const, times: 1 };

/** The numbers of all turns of the bulk and of its treated turns. */
const BULK = { turns: 4, treated: 2 };

/**
 * Brings turns to each state that follows the death of a worker. Returns the worker, which never ends its steps: close
 * it after the dump.
 */
export async function fillRunning(filling: Filling): Promise<Installation> {
  const { DATABASE_URL, OPENAI_BASE_URL } = filling.harness.env;
  const dying = await openInstallation(DATABASE_URL, { shared: false, modelUrl: OPENAI_BASE_URL });
  await abandonRounds(filling, dying);
  await abandonBatches(filling, dying);
  await abandonRepair(filling, dying);
  await fillLimit(filling, dying);
  await dying.harness.beat();
  await fillQueued(filling);
  await fillBulk(filling);
  await fillSlots(filling);
  return {
    ...dying,
    [Symbol.asyncDispose]: () => {
      dying.harness.worker.heartbeat.stop('shutdown');
      return dying[Symbol.asyncDispose]();
    },
  };
}

/** Lets the dying worker begin a step that it will never end. */
function begin({ harness }: Installation): void {
  harness.workUntilIdle().catch(() => {});
}

async function abandonRounds(filling: Filling, dying: Installation): Promise<void> {
  const streaming = {
    script: { answer: 'Once and again.', piece_chars: 4, final: { fault: { ...hang, after_chars: 8 } } },
  };
  const { id } = await start(filling, 'streaming', streaming);
  const stream = await openEvents(filling, id);
  begin(dying);
  for await (const text of stream) if (text.includes('output_text.delta')) break;
  const script = { rounds: [{ tools: [weather] }], answer: 'Sunny.', final: { fault: hang } };
  await abandonAsked(filling, dying, { scene: 'asked', script, tools: ['weather_lookup'], rounds: 2 });
}

/** Opens the stream of a turn. Its worker publishes text while a client reads it. */
async function openEvents({ harness }: Filling, id: string): Promise<AsyncIterable<string>> {
  const headers = { authorization: `Bearer ${MAIN.key}`, accept: 'text/event-stream' };
  const { body } = await fetch(`${harness.url}/v1/turns/${id}/events`, { headers });
  if (!body) throw new Error(`The stream of ${id} has no body.`);
  return body.pipeThrough(new TextDecoderStream());
}

async function abandonBatches(filling: Filling, dying: Installation): Promise<void> {
  const abandon = async (scene: string, effect: string) => {
    const tools = ['weather_lookup', markedTool(filling, 'slow', { effect })];
    const script = { rounds: [{ tools: [weather, call('slow', scene)] }], answer: 'It says: {{results}}' };
    const { id } = await start(filling, scene, { script, tools });
    begin(dying);
    await waitUntil(() => filling.tools.calls.some(({ mark }) => mark === scene), `${scene} calls its tool`);
    await waitUntil(async () => isFirstResultKnown(await filling.main.findTurn(id)), `${scene} has one result`);
  };
  await abandon('half_done', 'idempotent');
  await abandon('claimed', 'at_most_once');
}

function isFirstResultKnown({ rounds }: TurnResource): boolean {
  return rounds[0]?.results[0]?.status === 'success';
}

/** Abandons the round that repairs an answer. */
async function abandonRepair(filling: Filling, dying: Installation): Promise<void> {
  const schema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
  const script = { answer: '{"price":"much"}', repairs: [{ say: '{"price":2}', fault: hang }] };
  await abandonAsked(filling, dying, {
    scene: 'repairing',
    script,
    output_schema: { name: 'order', schema },
    rounds: 2,
  });
}

/** Abandons a round that holds the slot of a model, and leaves a turn that waits for this slot. */
async function fillLimit(filling: Filling, dying: Installation): Promise<void> {
  const script = { answer: 'There is room.' };
  const holding = { ...script, final: { fault: hang } };
  await abandonAsked(filling, dying, { scene: 'has_room', script: holding, model: LIMITED_MODEL, rounds: 1 });
  const { id } = await start(filling, 'wants_room', { script, model: LIMITED_MODEL });
  await dying.harness.workUntilIdle();
  const { waiting } = await filling.main.findTurn(id);
  if (!waiting) throw new Error('The turn of wants_room does not wait.');
}

type Abandoned = { scene: string; script: Parameters<typeof start>[2]['script']; rounds: number };

/** Starts a turn, and waits until the dying worker has asked for so many rounds. */
async function abandonAsked(
  filling: Filling,
  dying: Installation,
  { scene, rounds, ...request }: Abandoned & Record<string, unknown>,
): Promise<void> {
  const { modelRequests } = filling.harness;
  const before = modelRequests.length;
  await start(filling, scene, request);
  begin(dying);
  await waitUntil(() => modelRequests.length === before + rounds, `${scene} asks for ${rounds} rounds`);
}

/** Leaves work that no worker has begun. */
async function fillQueued(filling: Filling): Promise<void> {
  const approved = await findScene(filling, 'approved');
  const approvals = approved.required_action?.approvals.map(({ id }) => ({ tool_call_id: id, decision: 'allow' }));
  await post(filling, `/v1/turns/${approved.id}/approvals`, { approvals });
  await adoptCall(filling);
  await start(filling, 'queued', { script: { answer: 'My turn.' } });
  const joined = await start(filling, 'joined_queued', { script: { answer: 'Never said.' } });
  await post(filling, `/v1/turns/${joined.id}/input`, { input: scripted({ answer: 'Both inputs.' }) });
}

async function findScene({ main }: Filling, scene: string): Promise<TurnResource> {
  const path = `/v1/turns?metadata[scene]=${scene}`;
  const { data } = (await main.call<{ data: { id: string }[] }>('GET', path)).body;
  return main.findTurn(data[0]?.id ?? '');
}

/** Approves the call of a response in a new response, which adopts that call. */
async function adoptCall(filling: Filling): Promise<void> {
  const asked = (await findScene(filling, 'asks_approval')).id.replace('turn_', 'resp_');
  const { body } = await filling.main.call<{ output: { id: string; type: string }[] }>('GET', `/v1/responses/${asked}`);
  const request = body.output.find(({ type }) => type === 'mcp_approval_request');
  const input = [{ type: 'mcp_approval_response', approval_request_id: request?.id, approve: true }];
  const more = { previous_response_id: asked, metadata: { scene: 'adopted' } };
  await post(filling, '/v1/responses', { model: 'test', background: true, input, ...more });
}

async function fillBulk(filling: Filling): Promise<void> {
  const { db, worker } = filling.harness;
  for (let number = 0; number < BULK.turns; number += 1)
    await start(filling, 'bulk', { script: { answer: 'Never said.' } });
  const filter = { metadata: { scene: 'bulk' } };
  await post(filling, '/v1/bulk', { action: 'cancel', filter });
  while (await stopBulkTurns(db));
  await workBulks(worker, 0, BULK.treated);
}

/** Adds a project that shares the workers. Its second turn wants the slot that the first holds. */
async function fillSlots({ harness, narrow, share }: Filling): Promise<void> {
  share();
  await narrow.startTurn(played('holds_slot', { answer: 'I have it.' }));
  await harness.parts.admission.settled();
  await narrow.startTurn(played('wants_slot', { answer: 'I want it.' }));
  await harness.parts.admission.settled();
}
