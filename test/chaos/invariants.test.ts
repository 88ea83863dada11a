import { expect, test } from 'vitest';
import type { History } from './history.ts';
import { checkInvariants } from './invariants/check-invariants.ts';
import { soundHistory } from './sound-history.ts';

/** Returns the broken promises of the sound history after a change. */
function brokenBy(change: (history: History) => void): string[] {
  const history = soundHistory();
  change(history);
  return checkInvariants(history, { verdict: 'all' })
    .filter(({ complaints }) => complaints.length > 0)
    .map(({ promise }) => promise);
}

test('a sound history breaks no promise', () => {
  expect(brokenBy(() => {})).toEqual([]);
});

test.each<[string, (history: History) => void]>([
  [
    'every acknowledged turn exists',
    (history) => Object.assign(history, { acks: [...history.acks, lostAck(history)] }),
  ],
  ['one idempotency key creates one turn', ({ acks }) => acks.push({ at: 0, plan: 1, turnId: 'turn_2' })],
  ['the API acknowledges every turn before the run ends', (history) => history.acks.pop()],
  ['every turn ends', keepActive],
  ['exactly the active turns have a row of work', ({ rows }) => Object.assign(rows.turns[1]!, { completedAt: null })],
  ['exactly the active turns have a row of work', ({ rows }) => rows.strayWork.push({ turnId: 'turn_1' })],
  ['a turn ends once', ({ rows }) => Object.assign(rows.events[5]!, { type: 'turn.completed' })],
  ['a turn ends once', ({ rows }) => Object.assign(rows.events[6]!, { type: 'turn.failed' })],
  ['a turn ends as its script requires', ({ plans }) => Object.assign(plans[0]!, { endings: ['failed'] })],
  ['a turn ends as its script requires', ({ rows }) => Object.assign(rows.turns[0]!, { output: 'Something else.' })],
  ['the numbers of rounds have no gap', ({ rows }) => rows.rounds.splice(0, 1)],
  ['the numbers of rounds have no gap', ({ rows }) => rows.rounds.push(rows.rounds[2]!)],
  ['a turn sends one history', ({ modelCalls }) => Object.assign(modelCalls[1]!, { messages: ['a', 'b'] })],
  ['a turn sends one history', ({ modelCalls }) => Object.assign(modelCalls[2]!, { messages: ['x', 'b', 'c'] })],
  [
    'a turn changes its failed model once and permanently',
    ({ rows }) => Object.assign(rows.rounds[2]!, { model: 'dying/chaos' }),
  ],
  ['an at_most_once call is made at most once', ({ toolCalls }) => toolCalls.push(toolCalls[0]!)],
  [
    'a repeated call has the same key and the same arguments',
    ({ toolCalls }) => Object.assign(toolCalls[2]!, { key: 'turn_1.1.call_7' }),
  ],
  [
    'a repeated call has the same key and the same arguments',
    ({ toolCalls }) => Object.assign(toolCalls[2]!, { args: '{"mark":"1.1.1","more":true}' }),
  ],
  ['every result belongs to a call that was requested and made', ({ toolCalls }) => toolCalls.splice(0, 1)],
  ['every result belongs to a call that was requested and made', ({ rows }) => rows.calls.splice(0, 1)],
  ['an ended turn has no open call', ({ rows }) => Object.assign(rows.calls[0]!, { outcome: null })],
  ['clients see every event once, and the end', ({ seen }) => seen.get('turn_1')!.numbers.splice(3, 1)],
  ['clients see every event once, and the end', ({ seen }) => seen.get('turn_1')!.numbers.push(7)],
  ['clients see every event once, and the end', ({ seen }) => Object.assign(seen.get('turn_2')!, { status: 'failed' })],
  ['clients see every event once, and the end', ({ seen }) => Object.assign(seen.get('turn_2')!, { status: null })],
  ['a streamed response equals the stored response', ({ responses }) => Object.assign(responses[0]!, { seen: '[{}]' })],
  ['a handed-over call is answered once', (history) => handOver(history, 0)],
  ['a handed-over call is answered once', (history) => handOver(history, 2)],
  ['an approval is used once', (history) => adopt(history, 0)],
  ['an approval is used once', (history) => adopt(history, 2)],
  ['every acknowledged message is in one turn, once', ({ talk }) => talk.turns[0]!.said.push('says 1.')],
  ['every acknowledged message is in one turn, once', ({ talk }) => talk.turns[0]!.said.pop()],
  ['the messages of one client keep their order', ({ talk }) => talk.turns[0]!.said.reverse()],
  ['an answer covers all joined inputs of its turn', ({ talk }) => Object.assign(talk.turns[0]!, { sent: 0 })],
  [
    'the history of a fork never changes',
    ({ forks }) => Object.assign(forks.modelCalls[2]!, { messages: ['a', 'x', 'c'] }),
  ],
  ['the history of a fork never changes', ({ forks }) => Object.assign(forks.modelCalls[3]!, { messages: ['a', 'b'] })],
  ['the history of a fork never changes', ({ forks }) => Object.assign(forks.modelCalls[4]!, { messages: ['x'] })],
  ['no rerun makes a recorded call', ({ forks }) => forks.toolCalls.push(forks.toolCalls[0]!)],
  ['no rerun makes a recorded call', ({ forks }) => Object.assign(forks.toolCalls[0]!, { key: 'turn_6.1.call_1' })],
  ['every fork completes', ({ forks }) => Object.assign(forks.families[0]!.forks[0]!, { status: null })],
  ['every fork completes', ({ forks }) => Object.assign(forks.families[0]!.forks[1]!, { next: null })],
  [
    'no read shows a deleted turn, and the turn is erased with its forks',
    ({ forks }) => Object.assign(forks.families[0]!.reads[0]!, { status: 200 }),
  ],
  [
    'no read shows a deleted turn, and the turn is erased with its forks',
    ({ forks }) => Object.assign(forks.families[0]!.reads[1]!, { text: '["fork-1.origin.1.book"]' }),
  ],
  ['no read shows a deleted turn, and the turn is erased with its forks', ({ forks }) => forks.rows.push('turn_3')],
  ['deleted and unstored turns are erased', ({ gone }) => Object.assign(gone[0]!, { turnId: 'turn_2' })],
  ['webhooks are signed and have a delivery', ({ webhooks }) => Object.assign(webhooks[1]!, { signature: 'wrong' })],
  ['webhooks are signed and have a delivery', ({ webhooks }) => Object.assign(webhooks[1]!, { signature: 'untimely' })],
  ['deliveries match the record of receivers', ({ rows }) => Object.assign(rows.deliveries[0]!, { status: 'pending' })],
  ['deliveries match the record of receivers', ({ rows }) => Object.assign(rows.deliveries[0]!, { status: 'failed' })],
  ['no webhook is sent before its time', ({ webhooks }) => Object.assign(webhooks[1]!, { at: webhooks[0]!.at + 900 })],
  ['leases end in time, and with their turns', ({ latest }) => Object.assign(latest, { longestLeaseMs: 7_000 })],
  ['leases end in time, and with their turns', ({ rows }) => Object.assign(rows.turns[0]!, { leaseOwner: 'worker-1' })],
  ['no turn exceeds its limits', ({ toolCalls, rows }) => addCalls(5, toolCalls, rows)],
  ['the API sends only declared status codes', ({ answers }) => Object.assign(answers[0]!, { status: 500 })],
  ['the API sends only declared status codes', ({ answers }) => Object.assign(answers[1]!, { status: 404 })],
  ['the API sends only declared status codes', ({ answers }) => Object.assign(answers[1]!, { hasRetryAfter: false })],
  ['no process exits without a request', ({ ownEnds }) => Object.assign(ownEnds[0]!, { lastWords: 'TypeError' })],
  ['turns recover from every fault within 30 s', (history) => letLast(history)],
  ['a turn starts within 5 s during a flood of another project', (history) => startLate(history)],
  ['a project never exceeds its maximum of active turns', ({ latest }) => Object.assign(latest, { mostFlooding: 9 })],
  [
    'every fault has an effect, and most faults affect turns in progress',
    ({ faults }) => Object.assign(faults[0]!, { evidence: null }),
  ],
  [
    'every fault has an effect, and most faults affect turns in progress',
    ({ faults }) => Object.assign(faults[0]!, { from: 0, endedAt: 1 }),
  ],
])('"%s" is the only promise found broken', (promise, change) => {
  expect(brokenBy(change)).toEqual([promise]);
});

test.each([
  ['all', 'broken'],
  ['of-pawl', 'reported'],
  ['core', 'reported'],
] as const)('with --verdict %s, a fault without effect is %s', (verdict, status) => {
  const history = soundHistory();
  history.faults[0]!.evidence = null;

  const checked = checkInvariants(history, { verdict }).filter(({ complaints }) => complaints.length > 0);

  expect(checked).toMatchObject([{ id: 'I10', status, complaints: ['fault 1, worker-kill, had no effect'] }]);
});

test.each<[string, (history: History) => void]>([
  ['a lost turn', (history) => Object.assign(history, { acks: [...history.acks, lostAck(history)] })],
  ['a doubled turn', ({ acks }) => acks.push({ at: 0, plan: 1, turnId: 'turn_2' })],
  ['a stuck turn', keepActive],
  ['a row of work without an active turn', ({ rows }) => rows.strayWork.push({ turnId: 'turn_1' })],
  ['an at_most_once call made twice', ({ toolCalls }) => toolCalls.push(toolCalls[0]!)],
])('with --verdict core, %s breaks a promise', (_, change) => {
  const history = soundHistory();
  change(history);

  const checked = checkInvariants(history, { verdict: 'core' });

  expect(checked.filter(({ status }) => status === 'broken')).toHaveLength(1);
});

test('a broken promise of Pawl fails --verdict of-pawl, and --verdict core reports it', () => {
  const history = soundHistory();
  history.acks.pop();

  const statuses = (['of-pawl', 'core'] as const).map((verdict) =>
    checkInvariants(history, { verdict }).flatMap(({ complaints, status }) => (complaints.length > 0 ? [status] : [])),
  );

  expect(statuses).toEqual([['broken'], ['reported']]);
});

test('a recovery may take longer if unharmed turns take longer', () => {
  const onIdleMachine = brokenBy(letLast);
  const onBusyMachine = brokenBy((history) => {
    letLast(history);
    addUnharmed(history, 10_000);
  });

  expect(onIdleMachine).toContain('turns recover from every fault within 30 s');
  expect(onBusyMachine).not.toContain('turns recover from every fault within 30 s');
});

test('a call that is answered once, or by an erased turn, breaks no promise', () => {
  const broken = [
    brokenBy((history) => handOver(history, 1)),
    brokenBy((history) => {
      handOver(history, 0);
      history.gone.push({ plan: 1.5, turnId: 'turn_5' });
    }),
  ];

  expect(broken).toEqual([[], []]);
});

test('an event that is missing from the database breaks a promise', () => {
  const broken = brokenBy(({ rows }) => rows.events.splice(2, 1));

  expect(broken).toEqual(['the numbers of events have no gap']);
});

test('a webhook under two ids, or a missing webhook, breaks a promise', () => {
  const twice = brokenBy(({ webhooks, rows }) => {
    webhooks[1]!.id = 'evt_8';
    rows.deliveries.push({ ...rows.deliveries[0]!, id: 'dlv_2', eventId: 'evt_8' });
  });
  const never = brokenBy(({ webhooks }) => webhooks.pop());

  expect(twice).toContain('the end of a turn is delivered under one event id');
  expect(never).toContain('the end of a turn is delivered under one event id');
});

/** Keeps turn 1 active until the end of the run. */
function keepActive({ rows }: History): void {
  Object.assign(rows.turns[0]!, { status: 'in_progress', completedAt: null, hasWork: true });
}

/** Delays the next checkpoint of the stopped turn by a minute. */
function letLast({ rows }: History): void {
  const late = rows.events.filter(({ turnId, number }) => turnId === 'turn_1' && number > 2);
  for (const event of late) event.at += 60_000;
  rows.turns[0]!.completedAt! += 60_000;
}

/** Adds a third turn without a fault that took so much longer than its script. */
function addUnharmed({ plans, rows }: History, delayMs: number): void {
  const createdAt = rows.turns[0]!.createdAt + 1_000_000;
  const completedAt = createdAt + plans[1]!.scriptedMs + delayMs;
  plans.push({ ...plans[0]!, number: 3 });
  rows.turns.push({ ...rows.turns[0]!, id: 'turn_9', plan: 3, createdAt, completedAt });
}

/** Returns an acknowledgement of a third turn that is not in the database. */
function lostAck({ plans }: History): History['acks'][number] {
  plans.push({ ...plans[1]!, number: 3 });
  return { at: 0, plan: 3, turnId: 'turn_3' };
}

/** Adds a call to plan 1, now a response, that its caller must answer, with answers of so many turns. */
function handOver({ plans, rows }: History, answers: number): void {
  Object.assign(plans[0]!, { shape: 'response' });
  rows.calls.push({ ...rows.calls[0]!, index: 2, id: 'ask_1', outcome: 'handed_over' });
  for (let turn = 0; turn < answers; turn += 1) rows.answers.push({ turnId: `turn_${5 + turn}`, callId: 'ask_1' });
}

/** Adds a call to plan 1 that a person allowed and so many turns adopted. */
function adopt({ rows }: History, adopters: number): void {
  const call = { ...rows.calls[0]!, name: 'pay', mark: '1.1.9' };
  rows.calls.push({ ...call, index: 3, outcome: 'handed_over' });
  for (let turn = 0; turn < adopters; turn += 1)
    rows.calls.push({ ...call, turnId: `turn_${5 + turn}`, round: 0, outcome: 'cancelled' });
}

/** Adds more calls to the limited turn than its limit, in one committed round. */
function addCalls(count: number, toolCalls: History['toolCalls'], rows: History['rows']): void {
  for (let index = 1; index <= count; index += 1) {
    const mark = `2.1.${index}`;
    toolCalls.push({ ...toolCalls[3]!, key: `turn_2.1.call_${index + 1}`, mark, args: mark });
    rows.calls.push({ ...rows.calls[2]!, index, mark });
  }
}

/** Makes the fault of the run a flood, during which turn 1 waits for its start. */
function startLate({ faults, rows }: History): void {
  const { createdAt } = rows.turns[0]!;
  Object.assign(faults[0]!, { kind: 'flood', from: createdAt - 1, endedAt: createdAt + 2_000, scope: 'none' });
  Object.assign(rows.turns[0]!, { startedAt: createdAt + 6_000, completedAt: createdAt + 7_000 });
}
