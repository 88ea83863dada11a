import { expect, test } from 'vitest';
import { soundHistory } from '../sound-history.ts';
import { brokenVersions, changedVersions } from './agents.ts';

type Agents = ReturnType<typeof soundHistory>['agents'];

function agentsAfter(change: (agents: Agents) => void) {
  const { agents } = soundHistory();
  change(agents);
  return { agents };
}

test.each<[string, (agents: Agents) => unknown]>([
  ['has another version', ({ turns }) => Object.assign(turns[0]!, { version: 1 })],
  ['has the instructions of another version', ({ turns }) => Object.assign(turns[0]!, { instructions: 'Version 1.' })],
  ['does not exist', ({ turns }) => turns.pop()],
  ['does not complete', ({ turns }) => Object.assign(turns[0]!, { status: 'failed' })],
])('a turn of an agent %s', (_, change) => {
  expect(changedVersions(agentsAfter(change))).toHaveLength(1);
});

test('two turns of a version send different instructions', () => {
  const broken = agentsAfter(({ accepted, turns, modelCalls }) => {
    accepted.push({ id: 'turn_other', version: 2 });
    turns.push({ ...turns[0]!, id: 'turn_other' });
    const call = { at: 0, round: 1, generation: 0, model: 'agents', tier: null };
    modelCalls.push(
      { ...call, turnId: 'turn_helped', messages: ['a'] },
      { ...call, turnId: 'turn_other', messages: ['b'] },
    );
  });

  expect(changedVersions(broken)).toHaveLength(1);
});

test.each<[string, (agents: Agents) => unknown]>([
  ['missing', ({ versions }) => versions.shift()],
  ['changed', ({ versions }) => Object.assign(versions[0]!, { instructions: 'You are new.' })],
])('a version is %s', (_, change) => {
  expect(brokenVersions(agentsAfter(change))).toHaveLength(1);
});
