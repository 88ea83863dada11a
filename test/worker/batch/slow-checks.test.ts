import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Tool } from '#core/turn/request/tool.ts';
import { addWaits, planCall, planCalls } from '#services/worker/batch/plan-calls.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';

const slow = { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } };
const MANY = 5;

test('calls are refused if their check takes too long, and other work continues', async () => {
  const turn = turnWith({}, [...Array.from({ length: MANY }, (_, n) => endless(n)), { s: 'aaa' }]);

  const { settled, turnsOfLoop } = await whileLoopRuns(planCalls(turn, turn.rounds[0]?.calls ?? []));

  const kinds = settled.map(({ plan }) => plan.kind);
  expect(kinds).toEqual([...Array.from({ length: MANY }, () => 'refuse'), 'run']);
  expect(turnsOfLoop).toBeGreaterThan(MANY);
});

test('the check of a reply with slow calls lets other work continue', async () => {
  const turn = turnWith({ approval: 'always' }, [...Array.from({ length: MANY }, (_, n) => endless(n)), { s: 'aaa' }]);

  const looking = addWaits({ ...turn, rounds: [] }, 1, turn.rounds[0]?.calls ?? []);
  const { settled, turnsOfLoop } = await whileLoopRuns(looking);

  expect(settled.filter(({ waitsFor }) => waitsFor === 'approval')).toHaveLength(1);
  expect(turnsOfLoop).toBeGreaterThan(MANY);
});

test.for([{ approval: 'always' }, { execution: { kind: 'client' } }])(
  'a call that asked for no approval after a slow check is refused later, too: %j',
  async (rule) => {
    const turn = turnWith(rule, [{ s: 'aaa' }]);
    const [call] = turn.rounds[0]?.calls ?? [];

    const plan = await planCall(turn, call!);

    expect(plan).toMatchObject({ kind: 'refuse', error: { message: expect.stringContaining('nobody was asked') } });
  },
);

function turnWith(rule: object, given: { s: string }[]) {
  const tool = { name: 'look_up', description: 'Looks something up.', execution: { kind: 'server' }, parameters: slow };
  const config = { ...plainConfig, tools: [Tool.parse({ ...tool, ...rule })] };
  const calls = given.map((args, index) => ({ index, name: 'look_up', arguments: JSON.stringify(args) }));
  return { ...makeTurn({ rounds: [makeRound(1, null, calls)] }), config };
}

/** Counts the turns of the event loop until the work settles. */
async function whileLoopRuns<Value>(work: Promise<Value>): Promise<{ settled: Value; turnsOfLoop: number }> {
  let isOver = false;
  let turnsOfLoop = 0;
  const settling = work.finally(() => {
    isOver = true;
  });
  for (; !isOver; turnsOfLoop += 1) await setImmediate();
  return { settled: await settling, turnsOfLoop };
}

function endless(n: number): { s: string } {
  return { s: `${'a'.repeat(40 + n)}!` };
}
