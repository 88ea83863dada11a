import { expect, test } from 'vitest';
import type { History } from '../history.ts';
import { soundHistory } from '../sound-history.ts';
import { checkInvariants } from './check-invariants.ts';

const ONE_BATCH = 'a request is in one batch';
const ACCOUNTED = 'each request in a batch answers a round, or is a reported retry or a dropped answer';
const REMOVED = 'a round by batch uses an answer, and no request remains';
const COUNTED = 'the usage of batches is counted once';

/** Returns the promises of the core that a change of the sound history breaks. */
function brokenBy(change: (batches: History['batches'], history: History) => void): string[] {
  const history = soundHistory();
  change(history.batches, history);
  return checkInvariants(history, { verdict: 'core' })
    .filter(({ status }) => status === 'broken')
    .map(({ promise }) => promise);
}

test.each<[string, Parameters<typeof brokenBy>[0], string[]]>([
  ['a request is in two batches', ({ sent }) => sent.push({ ...sent[0]!, batchId: 'batch_9' }), [ONE_BATCH]],
  ['an unknown request is in a batch', ({ sent }) => sent.push({ ...sent[0]!, id: 'req_9' }), [ONE_BATCH]],
  ['a retry is not reported', (_, { rows }) => rows.events.pop(), [ACCOUNTED]],
  ['a reported retry was not sent', ({ sent }) => sent.shift(), [ACCOUNTED]],
  ['a round uses two answers', endFirst('used'), [ACCOUNTED]],
  ['a request remains', endFirst('left'), [REMOVED]],
  ['a round was not asked by batch', saveUnasked, [REMOVED]],
  ['the usage of a round is counted twice', ({ usage }) => usage.push({ ...usage[0]! }), [COUNTED]],
  ['the usage of a round is not counted', ({ usage }) => usage.shift(), [COUNTED]],
  ['late usage is counted twice', ({ usage }) => usage.push({ ...usage[1]! }), [COUNTED]],
])('a promise about batches is broken if %s', (_, change, promises) => {
  expect(brokenBy(change)).toEqual(promises);
});

/** Gives the first request another end, without late usage. */
function endFirst(fate: 'used' | 'left') {
  return ({ requests, usage }: History['batches']) => {
    Object.assign(requests[0]!, { fate });
    usage.pop();
  };
}

function saveUnasked({ rounds, usage }: History['batches']): void {
  rounds.push({ turnId: 'turn_batch', number: 2, tokens: 9 });
  usage.push({ rounds: 1, tokens: 9, recordedIn: '704' });
}

test('a dropped answer of a cancelled turn breaks no promise', () => {
  const broken = brokenBy((batches, { plans, rows }) => {
    plans.push({ ...plans[0]!, number: 4, shape: 'cancel', hasWebhook: false, endings: ['cancelled'] });
    rows.turns.push({ ...rows.turns[1]!, id: 'turn_4', plan: 4, status: 'cancelled' });
    batches.requests.push({ id: 'req_4', turnId: 'turn_4', round: 1, fate: 'dropped', goneIn: '705' });
    batches.sent.push({ batchId: 'batch_4', api: 'gemini', id: 'req_4', messages: [] });
    batches.usage.push({ rounds: 0, tokens: 9, recordedIn: '705' });
  });

  expect(broken).toEqual([]);
});
