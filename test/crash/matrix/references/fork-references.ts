import type { TurnResource } from '#core/turn/resource/turn.ts';
import { scripted } from '#test/harness/scripted.ts';
import type { Scene } from '../lane.ts';
import { first, key, toFirst } from './first-turn.ts';
import type { Call, Reference } from './reference.ts';

/** Turns that are forked, rerun and deleted. */
export const forkReferences: Reference[] = [
  {
    of: 'the request that forks a running turn',
    start: startWaiting,
    request: (scene) => askFirst(scene, 'fork', { input: scripted({ answer: 'Forked.' }) }),
    answers: [202],
    react: answerDevice,
  },
  {
    of: 'the request that deletes a turn with a fork of its rounds',
    start: async (scene) => {
      const id = await startEnded(scene, 'picture');
      await scene.call('POST', `/v1/turns/${id}/fork`, { body: { after_round: 1, input: 'Hi' } });
      await scene.harness.workUntilIdle();
    },
    request: async (scene) => ({ method: 'DELETE', path: `/v1/turns/${(await first(scene)).id}` }),
    answers: [204, 404],
  },
  {
    of: 'the request that reruns a turn',
    start: startEnded,
    request: (scene) => askFirst(scene, 'rerun', {}),
    answers: [202],
  },
  {
    of: 'the request that reruns a response with allowed calls',
    start: startAllowed,
    request: async (scene) => {
      const [, allowed] = await scene.turns();
      return { method: 'POST', path: `/v1/turns/${allowed?.id}/rerun`, headers: key, body: {} };
    },
    answers: [202],
  },
  {
    of: 'a rerun with the results of the recorded calls',
    points: /saveRound|endWithRound|r2|r3/,
    start: async (scene) => {
      const id = await startEnded(scene);
      await scene.call('POST', `/v1/turns/${id}/rerun`, { body: {} });
    },
  },
];

async function askFirst(scene: Scene, action: string, body: object): Promise<Call> {
  return { ...(await toFirst(scene, action, body)), headers: key };
}

/** Starts a turn of three rounds, and runs jobs until it ends. Returns its id. */
async function startEnded({ startTurn, recorder, harness }: Scene, second = 'mail'): Promise<string> {
  const call = (name: string) => ({ name, arguments: { url: recorder.url } });
  const rounds = [{ tools: [call('look')] }, { tools: [call(second)] }];
  const { id } = await startTurn({ input: scripted({ rounds, answer: 'Seen.' }), tools: ['look', second] });
  await harness.workUntilIdle();
  return id;
}

async function startWaiting({ startTurn, recorder, harness }: Scene): Promise<void> {
  const ask = { name: 'ask_device', description: 'Asks the device' };
  const look = { name: 'look', arguments: { url: recorder.url } };
  const rounds = [{ tools: [look] }, { tools: [{ id: 'call_ask', name: ask.name, arguments: {} }] }];
  await startTurn({ input: scripted({ rounds }), tools: ['look', ask] });
  await harness.workUntilIdle();
}

/** Answers as the client, so that the turn ends too. */
async function answerDevice({ call }: Scene, { id, status }: TurnResource): Promise<boolean> {
  if (status !== 'requires_action') return false;
  const tool_outputs = [{ tool_call_id: 'call_ask', output: 'here' }];
  await call('POST', `/v1/turns/${id}/tool_outputs`, { body: { tool_outputs } });
  return true;
}

/** Starts a response that asks for a call, and a response that allows it. */
async function startAllowed({ call, recorder, harness }: Scene): Promise<void> {
  const create = async (request: object) => {
    const body = { model: 'openai/test', background: true, ...request };
    const { body: response } = await call<{ id: string }>('POST', '/v1/responses', { body });
    await harness.workUntilIdle();
    return response.id;
  };
  const note = { type: 'function', name: 'note', description: 'Does something that is seen', approval: 'always' };
  const tools = [{ ...note, execution: { kind: 'http', url: `${recorder.url}/note` } }];
  const input = scripted({ rounds: [{ tools: [{ id: 'call_note', name: 'note', arguments: {} }] }], answer: 'Noted.' });
  const asking = await create({ input, tools });
  const approval_request_id = `${asking.replace('resp_', 'mcpr_')}_r1_0`;
  const allowing = [{ type: 'mcp_approval_response', approval_request_id, approve: true }];
  await create({ input: allowing, previous_response_id: asking });
}
