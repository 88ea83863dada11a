import type { JobHandler } from '#core/queue/bell.ts';
import type { TurnResource } from '#core/turn/present-turn.ts';
import { scripted } from '#test/world/scripted.ts';
import type { Scene } from './open-ground.ts';
import type { Reference } from './reference.ts';

const busy = { kind: 'status' as const, status: 503, retry_after_ms: 1, times: 1 };
const limited = { kind: 'status' as const, status: 429, retry_after: 2, times: 2 };
/** Long enough not to come while others only wait for the dead. */
const DEADLINE_S = 24 * 3_600;
const closed = { kind: 'status' as const, status: 401 };

/** Turns that together cross everything a worker does. */
export const workerReferences: Reference[] = [
  {
    of: 'a turn with parallel tools of all effects, a retry and a webhook',
    start: async (scene) => {
      const { startTurn, witness } = scene;
      await makeSecret(scene);
      await startTurn({
        input: script({ witness }, ['look', 'note', 'book', 'mail'], { fault: busy }),
        tools: ['look', http({ witness }, 'note', 'idempotent'), http({ witness }, 'book', 'at_most_once'), 'mail'],
        webhook: { url: `${witness.url}/hook`, include: ['turn'] },
      });
    },
  },
  {
    of: 'a turn whose limit makes a round the final one, with a webhook for each round',
    start: async (scene) => {
      const { startTurn, witness } = scene;
      await makeSecret(scene);
      await startTurn({
        input: script({ witness }, ['note']),
        tools: [http({ witness }, 'note', 'idempotent')],
        limits: { max_rounds: 1 },
        webhook: { url: `${witness.url}/hook`, events: ['round.completed', 'turn.incomplete'] },
      });
    },
  },
  {
    of: 'a turn that parks for a client and for a person while a sibling runs',
    start: (scene) => startParked(scene, ['look', 'ask_device', 'allow_mail']),
    react: answerAll,
  },
  {
    of: 'a parked turn that comes to its deadline',
    start: (scene) => startParked(scene, ['look', 'ask_device'], { limits: { deadline_seconds: DEADLINE_S } }),
    react: passDeadline,
  },
  {
    of: 'a turn that is cancelled in the middle of a call',
    start: async ({ startTurn, witness, world, call }) => {
      const { id } = await startTurn({
        input: script({ witness }, ['hang']),
        tools: [http({ witness }, 'hang', 'idempotent')],
        webhook: { url: `${witness.url}/hook` },
      });
      witness.whileHanging(id, async () => {
        await call('POST', `/v1/turns/${id}/cancel`);
        await world.beat();
      });
    },
  },
  {
    of: 'a turn whose model refuses',
    start: ({ startTurn, witness }) =>
      startTurn({ input: scripted({ final: { fault: closed } }), webhook: { url: `${witness.url}/hook` } }),
  },
  {
    of: 'a turn that meets a rate limit, and one that comes while it lasts',
    points: /(?:postpone-step|r1) #[12]$|rate-limit #1$|take-hold #1$/,
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
    of: 'a turn that is told to two webhook endpoints, one of which wants no more',
    start: async ({ startTurn, witness, call }) => {
      const events = ['turn.completed', 'webhook_endpoint.disabled'];
      await call('POST', '/v1/webhook_endpoints', { body: { url: `${witness.url}/hook`, events } });
      await call('POST', '/v1/webhook_endpoints', { body: { url: `${witness.url}/gone` } });
      await startTurn({ input: 'Hi' });
    },
  },
  {
    of: 'a turn that calls a tool of an MCP server',
    points: /call cities__book|claim-calls|save-results/,
    start: ({ startTurn }) => {
      const tools = [{ name: 'cities__book', arguments: { city: 'Tokyo' } }];
      return startTurn({ input: scripted({ rounds: [{ tools }], answer: 'All is done.' }), tools: ['cities__book'] });
    },
  },
  {
    of: 'turns whose jobs were lost, found by the rescuer while the queue refuses its rings',
    points: /rescue › .* #1$|ring .* #1$/,
    queueRefuses: true,
    start: async ({ startTurn, witness, world }) => {
      await startTurn({ input: 'Hi', webhook: { url: `${witness.url}/hook` } });
      while (await world.workOnce(losing('deliver-webhook', world.handle)));
      await startTurn({ input: 'Hi again' });
      while (await world.workOnce(losing('run-round', world.handle)));
      await world.advance(6_000);
    },
  },
  {
    of: 'turns whose jobs were lost, found by the rescuer, with a call that outlasts a heartbeat',
    points: /(?:rescue|heartbeat) › .* #1$|ring .* #1$/,
    start: async ({ startTurn, witness, world }) => {
      await startTurn({ input: 'Hi', webhook: { url: `${witness.url}/hook` } });
      while (await world.workOnce(losing('deliver-webhook', world.handle)));
      await startTurn({ input: script({ witness }, ['late']), tools: [http({ witness }, 'late', 'idempotent')] });
      while (await world.workOnce(losing('run-round', world.handle)));
      await world.advance(6_000);
    },
  },
];

type Tools = Pick<Scene, 'witness'>;

function script({ witness: { url } }: Tools, names: string[], final?: object): string {
  const tools = names.map((name) => ({ name, arguments: { url } }));
  return scripted({
    piece_chars: 1_000,
    rounds: [{ say: 'Working.', tools }],
    answer: 'All is done.',
    ...(final && { final }),
  });
}

function http({ witness }: Tools, name: string, effect: string) {
  const execution = { kind: 'http', url: `${witness.url}/${name}` };
  return { name, description: 'Does something that is seen', execution, effect, timeout_ms: 60_000 };
}

/** Makes what signs, where two would race to make it. */
async function makeSecret({ call }: Scene): Promise<void> {
  await call('GET', '/v1/webhook_secret');
}

function startParked(scene: Scene, names: string[], more: object = {}) {
  const { startTurn, witness } = scene;
  const device = { name: 'ask_device', description: 'Asks the device', execution: { kind: 'client' } };
  const mail = { ...http(scene, 'mail', 'at_most_once'), name: 'allow_mail', approval: 'always' };
  const webhook = { url: `${witness.url}/hook`, events: ['turn.requires_action', 'turn.completed', 'turn.incomplete'] };
  return startTurn({ input: script(scene, names), tools: ['look', device, mail], webhook, ...more });
}

/** The client and the person answer, each for itself. */
async function answerAll({ call }: Scene, turn: TurnResource): Promise<boolean> {
  const { id, status, required_action: wanted } = turn;
  if (status !== 'requires_action' || !wanted) return false;
  const outputs = wanted.tool_outputs.map((asked) => ({ tool_call_id: asked.id, output: 'here' }));
  const approvals = wanted.approvals.map((asked) => ({ tool_call_id: asked.id, decision: 'allow' }));
  if (outputs.length > 0) await call('POST', `/v1/turns/${id}/tool_outputs`, { body: { tool_outputs: outputs } });
  if (approvals.length > 0) await call('POST', `/v1/turns/${id}/approvals`, { body: { approvals } });
  return true;
}

/** Another turn of the same model, once it is rate-limited. */
async function startAnother({ startTurn, turns }: Scene, { waiting }: TurnResource): Promise<boolean> {
  if (waiting?.for !== 'provider' || (await turns()).length > 1) return false;
  await startTurn({ input: 'Hi' });
  return true;
}

/** Only once nobody tells of it: who has a webhook on hand must not find that a day has gone by. */
async function passDeadline({ world, isTold }: Scene, { status }: TurnResource): Promise<boolean> {
  if (status !== 'requires_action' || !(await isTold())) return false;
  await world.advance(DEADLINE_S * 1_000);
  await world.rescue();
  return true;
}

/** A queue that loses its jobs of one kind. */
function losing(name: string, handle: JobHandler): JobHandler {
  return async (job) => {
    if (job.name !== name) await handle(job);
  };
}
