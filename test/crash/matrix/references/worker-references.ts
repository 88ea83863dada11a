import { recordWorker } from '#core/checkpoint/workers.ts';
import { newId } from '#core/id.ts';
import type { JobHandler } from '#core/queue/job-queue.ts';
import { loadedTools } from '#core/tools/loaded-tools.ts';
import type { TurnResource } from '#core/turn/resource/turn.ts';
import { isTerminal } from '#core/turn/turn.ts';
import { scripted } from '#test/harness/scripted.ts';
import { callersTool, operatorsTool, startWithConfig } from '#test/harness/start-with-config.ts';
import type { Scene } from '../lane.ts';
import type { Reference } from './reference.ts';

const busy = { kind: 'status' as const, status: 503, retry_after_ms: 1, times: 1 };
/** The limit applies once: each postponed turn counts as well, and their number differs from play to play. */
const limited = { kind: 'status' as const, status: 429, retry_after: 2, times: 1 };
/** The deadline is far enough that it does not pass while other processes wait for the dead process. */
const DEADLINE_S = 24 * 3_600;
const closed = { kind: 'status' as const, status: 401 };

/** Turns that together cross all writes of a worker. */
export const workerReferences: Reference[] = [
  { of: 'a turn with parallel tools of all effects, a retry and a webhook', start: startWithTools },
  {
    of: 'a turn with tools and a retry, with a queue job for each step',
    queuesSteps: true,
    start: startWithTools,
  },
  {
    of: 'a turn whose limit makes a round the final one, with a webhook for each round',
    start: async (scene) => {
      const { startTurn, recorder } = scene;
      await makeSecret(scene);
      await startTurn({
        input: script({ recorder }, ['note']),
        tools: [http({ recorder }, 'note', 'idempotent')],
        limits: { max_rounds: 1 },
        webhook: { url: `${recorder.url}/hook`, events: ['round.completed', 'turn.incomplete'] },
      });
    },
  },
  {
    of: 'turns that hand calls over, one of them beside a call that Pawl runs',
    points: /saveRound|saveResults|endWithRound|endTurn|enqueue/,
    start: async (scene) => {
      await makeSecret(scene);
      await startHandingOver(scene, ['locate']);
      await startHandingOver(scene, ['locate', 'note']);
    },
  },
  {
    of: 'a turn that waits for a client and for a person while another call runs',
    start: (scene) => startWaiting(scene, ['look', 'ask_device', 'allow_mail']),
    react: answerAll,
  },
  {
    of: 'a waiting turn that reaches its deadline',
    start: (scene) => startWaiting(scene, ['look', 'ask_device'], { limits: { deadline_seconds: DEADLINE_S } }),
    react: passDeadline,
  },
  {
    of: 'a turn that is cancelled in the middle of a call',
    start: async ({ startTurn, recorder, harness, call }) => {
      const { id } = await startTurn({
        input: script({ recorder }, ['hang']),
        tools: [http({ recorder }, 'hang', 'idempotent')],
        webhook: { url: `${recorder.url}/hook` },
      });
      recorder.whileHanging(id, async () => {
        await call('POST', `/v1/turns/${id}/cancel`);
        await harness.beat();
      });
    },
  },
  {
    of: 'a turn whose model refuses',
    start: ({ startTurn, recorder }) =>
      startTurn({ input: scripted({ final: { fault: closed } }), webhook: { url: `${recorder.url}/hook` } }),
  },
  {
    of: 'a turn whose model refuses, and that another model answers',
    start: async (scene) => {
      const { startTurn, recorder } = scene;
      await makeSecret(scene);
      await startTurn({
        ...{ model: 'closed/model', fallback_models: ['openai/test'] },
        ...{ input: script({ recorder }, ['look']), tools: ['look'], webhook: { url: `${recorder.url}/hook` } },
      });
    },
  },
  {
    of: 'a turn that meets a rate limit, and a turn that starts during the limit',
    points: /(?:postponeStep|r1) #[12]$|rate-limit #1$|takeLease #1$/,
    start: ({ startTurn }) => startTurn({ input: scripted({ answer: 'At last.', final: { fault: limited } }) }),
    react: startAnother,
  },
  {
    of: 'two turns of one conversation',
    start: async ({ call }) => {
      const { body } = await call('POST', '/v1/conversations', { body: { model: 'openai/test' } });
      const path = `/v1/conversations/${body.id}/turns`;
      for (const input of ['First.', 'Second.']) await call('POST', path, { body: { input } });
    },
  },
  {
    of: 'a turn that calls a tool of an MCP server',
    points: /call cities__book|claimCalls|saveResults/,
    start: ({ startTurn }) => {
      const tools = [{ name: 'cities__book', arguments: { city: 'Tokyo' } }];
      return startTurn({ input: scripted({ rounds: [{ tools }], answer: 'All is done.' }), tools: ['cities__book'] });
    },
  },
  {
    of: 'a turn with a call whose tool only another worker has loaded',
    points: / b1 #|listToolsets|postponeStep/,
    env: { PAWL_TOOLS: '' },
    start: async ({ startTurn, recorder, harness }) => {
      await recordWorker(harness.db, { id: newId('wrk'), concurrency: 1, tools: loadedTools(harness.parts) });
      await startTurn({ input: script({ recorder }, ['mail']), tools: ['mail'] });
    },
    react: workElsewhere,
  },
  {
    of: 'turns whose jobs were lost, found by the rescuer while the queue refuses its jobs',
    points: /rescue › .* #1$|enqueue .* #1$/,
    queueRefuses: true,
    queuesSteps: true,
    start: async ({ startTurn, recorder, harness }) => {
      await startTurn({ input: 'Hi', webhook: { url: `${recorder.url}/hook` } });
      while (await harness.workOnce());
      await startTurn({ input: 'Hi again' });
      while (await harness.workOnce(losing('run-round', harness.handle)));
      await harness.advance(6_000);
    },
  },
  {
    of: 'turns whose jobs were lost, found by the rescuer, with a call that outlasts a heartbeat',
    points: /(?:rescue|heartbeat) › .* #1$|enqueue .* #1$/,
    queuesSteps: true,
    start: async ({ startTurn, recorder, harness }) => {
      await startTurn({ input: 'Hi', webhook: { url: `${recorder.url}/hook` } });
      while (await harness.workOnce());
      await startTurn({
        input: script({ recorder }, ['late']),
        tools: [http({ recorder }, 'late', 'idempotent')],
      });
      while (await harness.workOnce(losing('run-round', harness.handle)));
      await harness.advance(6_000);
    },
  },
];

type Tools = Pick<Scene, 'recorder'>;

function script({ recorder: { url } }: Tools, names: string[], final?: object): string {
  const tools = names.map((name) => ({ name, arguments: { url } }));
  return scripted({
    piece_chars: 1_000,
    rounds: [{ reasoning: 'All at once.', say: 'Working.', tools }],
    answer: 'All is done.',
    ...(final && { final }),
  });
}

function http({ recorder }: Tools, name: string, effect: string) {
  const execution = { kind: 'http', url: `${recorder.url}/${name}` };
  return { name, description: 'Does something that is seen', execution, effect, timeout_ms: 60_000 };
}

/** Creates the webhook secret, which two processes would otherwise race to create. */
async function makeSecret({ call }: Scene): Promise<void> {
  await call('GET', '/v1/webhook_secret');
}

function startWaiting(scene: Scene, names: string[], more: object = {}) {
  const { startTurn, recorder } = scene;
  const device = { name: 'ask_device', description: 'Asks the device', execution: { kind: 'client' } };
  const mail = { ...http(scene, 'mail', 'at_most_once'), name: 'allow_mail', approval: 'always' };
  const webhook = {
    url: `${recorder.url}/hook`,
    events: ['turn.requires_action', 'turn.completed', 'turn.incomplete'],
  };
  return startTurn({ input: script(scene, names), tools: ['look', device, mail], webhook, ...more });
}

/** Starts a turn as a response would. The native API has no calls that the caller answers in a later turn. */
function startHandingOver(scene: Scene, names: string[]) {
  const { recorder, project, harness } = scene;
  const { execution, ...note } = http(scene, 'note', 'idempotent');
  const tools = [
    callersTool('locate'),
    operatorsTool('note', {
      ...note,
      effect: 'idempotent',
      execution: { ...execution, kind: 'http', headers: {} },
      parameters: { type: 'object' },
    }),
  ];
  const webhook = { url: `${recorder.url}/hook`, events: ['turn.completed' as const], include: [] };
  const input = script(scene, names);
  return startWithConfig(harness, { input, project, config: { tools, webhook } });
}

/** Answers all calls. The client and the person answer in separate requests. */
async function answerAll({ call }: Scene, turn: TurnResource): Promise<boolean> {
  const { id, status, required_action: wanted } = turn;
  if (status !== 'requires_action' || !wanted) return false;
  const outputs = wanted.tool_outputs.map((call) => ({ tool_call_id: call.id, output: 'here' }));
  const approvals = wanted.approvals.map((call) => ({ tool_call_id: call.id, decision: 'allow' }));
  if (outputs.length > 0) await call('POST', `/v1/turns/${id}/tool_outputs`, { body: { tool_outputs: outputs } });
  if (approvals.length > 0) await call('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });
  return true;
}

/** Starts another turn of the same model after it is rate-limited, or later if a death has skipped that state. */
async function startAnother({ startTurn, turns }: Scene, { waiting, status }: TurnResource): Promise<boolean> {
  if ((waiting?.for !== 'provider' && !isTerminal(status)) || (await turns()).length > 1) return false;
  await startTurn({ input: 'Hi' });
  return true;
}

/** Passes the deadline after all webhooks are delivered: a delivering worker must not find that a day has passed. */
async function passDeadline({ harness, isDelivered }: Scene, { status }: TurnResource): Promise<boolean> {
  if (status !== 'requires_action' || !(await isDelivered())) return false;
  await harness.advance(DEADLINE_S * 1_000);
  await harness.rescue();
  return true;
}

async function startWithTools(scene: Scene): Promise<void> {
  const { startTurn, recorder } = scene;
  await makeSecret(scene);
  await startTurn({
    input: script({ recorder }, ['look', 'note', 'book', 'mail'], { fault: busy }),
    tools: ['look', http({ recorder }, 'note', 'idempotent'), http({ recorder }, 'book', 'at_most_once'), 'mail'],
    webhook: { url: `${recorder.url}/hook`, include: ['turn'] },
  });
}

/** Runs one job with the worker that has loaded the tool, while the turn is active. */
async function workElsewhere({ harness }: Scene, { status, rounds }: TurnResource): Promise<boolean> {
  if (isTerminal(status) || rounds.length === 0) return false;
  return await harness.workOnce();
}

/** Makes a queue that loses its jobs of one kind. */
function losing(name: string, handle: JobHandler): JobHandler {
  return async (job) => {
    if (job.name !== name) await handle(job);
  };
}
