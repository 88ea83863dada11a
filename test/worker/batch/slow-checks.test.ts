import { expect, test } from 'vitest';
import { timeBudgetOf } from '#core/tools/arguments/time-budget.ts';
import { Tool } from '#core/turn/request/tool.ts';
import { addWaits, planCall, planCalls } from '#services/worker/batch/plan-calls.ts';
import { plainConfig } from '#test/harness/plain-config.ts';
import { watchStalls, watchUsedCpu } from '#test/harness/watch-stalls.ts';
import { makeRound, makeTurn } from '#test/turn/make-turn.ts';

const slow = { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } };
const MANY = 150;

test('a batch of calls that take for ever to check is refused in little time, and blocks no other turn', async () => {
  const turn = turnWith({}, [...Array.from({ length: MANY }, (_, n) => endless(n)), { s: 'aaa' }]);
  using stalls = watchStalls();
  const usedMs = watchUsedCpu();

  const planned = await planCalls(turn, turn.rounds[0]?.calls ?? []);

  const kinds = planned.map(({ plan }) => plan.kind);
  expect(kinds).toEqual([...Array.from({ length: MANY }, () => 'refuse'), 'run']);
  expect(usedMs()).toBeLessThan(6_000);
  expect(stalls.longestMs()).toBeLessThan(3_000);
});

test('turns with such calls block a process together no longer than one of them', async () => {
  const turns = Array.from({ length: 40 }, () => ({ ...turnWith({}, [endless(0)]), project: 'hostile' }));
  using stalls = watchStalls();
  const usedMs = watchUsedCpu();

  const planned = await Promise.all(turns.map((turn) => planCalls(turn, turn.rounds[0]?.calls ?? [])));

  expect(planned.flat().map(({ plan }) => plan.kind)).toEqual(turns.map(() => 'refuse'));
  expect(usedMs()).toBeLessThan(4_000);
  expect(stalls.longestMs()).toBeLessThan(3_000);
});

test('what one project has used up is there for another', () => {
  const busy = (ms: number) => () => {
    const from = process.threadCpuUsage().user;
    while (process.threadCpuUsage().user - from < ms * 1_000);
    return 'done';
  };
  const used = Array.from({ length: 20 }, () => outcomeOf(() => timeBudgetOf('greedy')(busy(10_000))));

  expect(new Set(used)).toEqual(new Set(['out_of_time']));
  expect(outcomeOf(() => timeBudgetOf('greedy')(busy(200)))).toBe('out_of_time');
  // A busy machine can take all of a project's time for one check; never that of ten.
  const others = Array.from({ length: 10 }, (_, n) => outcomeOf(() => timeBudgetOf(`modest ${n}`)(busy(20))));
  expect(others).toContain('done');
});

test('a reply with such calls is looked at in as little time before it is saved', async () => {
  const turn = turnWith({ approval: 'always' }, [...Array.from({ length: MANY }, (_, n) => endless(n)), { s: 'aaa' }]);
  using stalls = watchStalls();

  const waiting = await addWaits({ ...turn, rounds: [] }, 1, turn.rounds[0]?.calls ?? []);

  expect(waiting.filter(({ waitsFor }) => waitsFor === 'approval')).toHaveLength(1);
  expect(stalls.longestMs()).toBeLessThan(3_000);
});

test.for([{ approval: 'always' }, { execution: { kind: 'client' } }])(
  'a call without a request for approval, since its check took too long, is not run because another check is quicker: %j',
  (rule) => {
    const turn = turnWith(rule, [{ s: 'aaa' }]);
    const [call] = turn.rounds[0]?.calls ?? [];

    const plan = planCall(turn, call!);

    expect(plan).toMatchObject({ kind: 'refuse', error: { message: expect.stringContaining('nobody was asked') } });
  },
);

function turnWith(rule: object, given: { s: string }[]) {
  const tool = { name: 'look_up', description: 'Looks something up.', execution: { kind: 'server' }, parameters: slow };
  const config = { ...plainConfig, tools: [Tool.parse({ ...tool, ...rule })] };
  const calls = given.map((args, index) => ({ index, name: 'look_up', arguments: JSON.stringify(args) }));
  return { ...makeTurn({ rounds: [makeRound(1, null, calls)] }), config };
}

function outcomeOf(work: () => string): string {
  try {
    return work();
  } catch (error) {
    return (error as { code: string }).code;
  }
}

function endless(n: number): { s: string } {
  return { s: `${'a'.repeat(40 + n)}!` };
}
