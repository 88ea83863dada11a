import { KEPT_MODEL, openInstallation } from '../installation.ts';
import { call, clientTool, type Filling, markedTool, played, post, run, start } from './filling.ts';

type Named = { id: string };

const TEN_DAYS_S = 864_000;
const TEN_MINUTES_MS = 600_000;

const everyTenDays = { every_seconds: TEN_DAYS_S, if_missed: 'once' };

/** Brings turns, deliveries and schedules to each state in which they wait for a time, a client or a person. */
export async function fillWaiting(filling: Filling): Promise<void> {
  await fillSchedules(filling);
  await fillDeliveries(filling);
  await fillAnswers(filling);
  await fillTimes(filling);
  await fillRetries(filling);
  await fillPolling(filling);
}

async function fillDeliveries(filling: Filling): Promise<void> {
  const { receiver, main } = filling;
  const { body: project } = await main.call<{ secrets: string[] }>('GET', '/v1/webhook_secret');
  const endpoint = { url: receiver.url, events: ['turn.cancelled'] };
  const { secrets } = await post<{ secrets: string[] }>(filling, '/v1/webhook_endpoints', endpoint);
  receiver.trust([...project.secrets, ...secrets]);
  const webhook = { url: receiver.url };
  for (const [scene, mode] of [
    ['delivered', 'well'],
    ['undeliverable', 'gone'],
    ['undelivered', 'failing'],
  ] as const) {
    receiver.setMode(mode);
    await run(filling, scene, { script: { answer: 'Hello.' }, webhook });
  }
}

/** Lets a schedule fire once, and leaves it ten minutes before its next time. */
async function fillSchedules(filling: Filling): Promise<void> {
  const turn = (scene: string) => ({ model: 'openai/test', ...played(scene, { answer: 'It is time.' }) });
  await post<Named>(filling, '/v1/schedules', { ...everyTenDays, turn: turn('scheduled') });
  await filling.harness.advance(TEN_DAYS_S * 1_000);
  await filling.harness.fireSchedules();
  await filling.harness.workUntilIdle();
  await filling.harness.advance(TEN_DAYS_S * 1_000 - TEN_MINUTES_MS);
  await post<Named>(filling, '/v1/schedules', { ...everyTenDays, enabled: false, turn: turn('never_scheduled') });
}

async function fillAnswers(filling: Filling): Promise<void> {
  const answer = 'They said {{results}}';
  const asking = { script: { rounds: [{ tools: [call('ask_person', 'person')] }], answer }, tools: [clientTool] };
  const waiting = await run(filling, 'waits_for_output', asking);
  const behind = { model: 'openai/test', ...played('behind', { answer: 'After you.' }) };
  await post(filling, `/v1/conversations/${waiting.conversation_id}/turns`, behind);
  const pay = markedTool(filling, 'pay', { approval: 'always' });
  for (const scene of ['waits_for_approval', 'denied', 'approved'])
    await run(filling, scene, { script: { rounds: [{ tools: [call('pay', scene)] }], answer }, tools: [pay] });
}

async function fillTimes(filling: Filling): Promise<void> {
  await start(filling, 'delayed', { script: { answer: 'At last.' }, delay_seconds: 600 });
  const { id } = await post<Named>(filling, '/v1/conversations', { model: 'openai/test' });
  const merged = { ...played('debounced', { answer: 'All of it.' }), on_active_turn: 'merge', debounce_ms: 60_000 };
  await post(filling, `/v1/conversations/${id}/turns`, merged);
}

const unavailable = { error: { type: 'resource_unavailable', code: 'resource_unavailable', message: 'No room.' } };

const POSTPONED = [
  { scene: 'retrying', fault: { status: 503 } },
  { scene: 'rate_limited', fault: { status: 429 } },
  { scene: 'without_capacity', fault: { status: 429, body: unavailable }, service_tier: 'flex' },
];

/** Postpones turns. Another worker does so, since a worker remembers the limit of a provider. */
async function fillRetries(filling: Filling): Promise<void> {
  const { DATABASE_URL, OPENAI_BASE_URL } = filling.harness.env;
  for (const { scene, fault, ...more } of POSTPONED) {
    await using worker = await openInstallation(DATABASE_URL, { shared: false, modelUrl: OPENAI_BASE_URL });
    const final = { fault: { kind: 'status' as const, retry_after: 60, times: 1, ...fault } };
    const { id } = await start(filling, scene, { script: { answer: 'Now it works.', final }, ...more });
    await worker.harness.workUntilIdle();
    const { waiting } = await filling.main.findTurn(id);
    if (!waiting) throw new Error(`The turn of ${scene} does not wait.`);
  }
}

/**
 * Leaves a response that a turn polls, and the response of an ended turn, which no worker has deleted at its provider
 * yet. The model of a later version has neither.
 */
async function fillPolling(filling: Filling): Promise<void> {
  const { DATABASE_URL, OPENAI_BASE_URL } = filling.harness.env;
  const installed = { shared: false, modelUrl: OPENAI_BASE_URL, idleMs: 200 };
  await using worker = await openInstallation(DATABASE_URL, installed);
  await run(filling, 'kept_response', { script: { answer: 'It is kept.' }, model: KEPT_MODEL });
  const final = { background: { queued_ms: TEN_MINUTES_MS, stream: false, times: 1 } };
  const { id } = await start(filling, 'polling', {
    script: { answer: 'It was asked again.', final },
    model: KEPT_MODEL,
  });
  await worker.harness.workUntilIdle();
  const { waiting } = await filling.main.findTurn(id);
  if (waiting?.for !== 'provider') throw new Error('The turn of polling does not wait for its provider.');
}
