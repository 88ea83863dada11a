import { expect, test } from 'vitest';
import { Tool } from '#core/turn/tool.ts';
import { addWaits, planCall, planCalls } from '#services/worker/plan-call.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';
import { plainConfig } from '#test/world/plain-config.ts';
import { watchUsedCpu } from '#test/world/used-cpu.ts';
import { watchStalls } from '#test/world/watch-stalls.ts';

const slow = { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } };
const MANY = 150;

test('a batch of calls that take for ever to check is refused in little time, and holds up nobody', async () => {
  const turn = turnWith({}, [...Array.from({ length: MANY }, (_, n) => endless(n)), { s: 'aaa' }]);
  using stalls = watchStalls();
  const usedMs = watchUsedCpu();

  const planned = await planCalls(turn, turn.rounds[0]?.calls ?? []);

  const kinds = planned.map(({ plan }) => plan.kind);
  expect(kinds).toEqual([...Array.from({ length: MANY }, () => 'refuse'), 'run']);
  expect(usedMs()).toBeLessThan(6_000);
  expect(stalls.longestMs()).toBeLessThan(3_000);
});

test('a reply with such calls is looked at in as little time before it is saved', async () => {
  const turn = turnWith({ approval: 'always' }, [...Array.from({ length: MANY }, (_, n) => endless(n)), { s: 'aaa' }]);
  using stalls = watchStalls();

  const asked = await addWaits({ ...turn, rounds: [] }, 1, turn.rounds[0]?.calls ?? []);

  expect(asked.filter(({ waitsFor }) => waitsFor === 'approval')).toHaveLength(1);
  expect(stalls.longestMs()).toBeLessThan(3_000);
});

test.for([{ approval: 'always' }, { execution: { kind: 'client' } }])(
  'a call nobody was asked about, since its check took too long, is not run because another check is quicker: %j',
  (rule) => {
    const turn = turnWith(rule, [{ s: 'aaa' }]);
    const [call] = turn.rounds[0]?.calls ?? [];

    const plan = planCall(turn, call!);

    expect(plan).toMatchObject({ kind: 'refuse', error: { message: expect.stringContaining('nobody was asked') } });
  },
);

function turnWith(rule: object, asked: { s: string }[]) {
  const tool = { name: 'look_up', description: 'Looks something up.', execution: { kind: 'server' }, parameters: slow };
  const config = { ...plainConfig, tools: [Tool.parse({ ...tool, ...rule })] };
  const calls = asked.map((args, index) => ({ index, name: 'look_up', arguments: JSON.stringify(args) }));
  return { ...makeTurn({ rounds: [makeRound(1, null, calls)] }), config };
}

function endless(n: number): { s: string } {
  return { s: `${'a'.repeat(40 + n)}!` };
}
