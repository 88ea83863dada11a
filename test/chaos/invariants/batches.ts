import type { History } from '../history.ts';

/** The part of a history that shows its batches. */
type Batches = Pick<History, 'batches' | 'plans' | 'rows'>;

/** Returns requests that the model has in two batches, or that no round has entered. */
export function repeatedInBatches({ batches }: Pick<History, 'batches'>): string[] {
  const entered = new Set(batches.requests.map(({ id }) => id));
  return [...Map.groupBy(batches.sent, ({ id }) => id)].flatMap(([id, sent]) => [
    ...(sent.length > 1 ? [`${id} is in the batches ${sent.map(({ batchId }) => batchId).join(', ')}`] : []),
    ...(entered.has(id) ? [] : [`${id} is in a batch, and no round has entered it`]),
  ]);
}

/** A round by batch, in numbers. `retries` counts its reported retries, and the change of its tier. */
type BatchedRound = { turnId: string; round: number; sent: number; used: number; retries: number };

/** Counts the requests that the model got for each round by batch, and the ends of these requests. */
export function batchedRounds({ batches, rows }: Pick<History, 'batches' | 'rows'>): BatchedRound[] {
  const sent = new Set(batches.sent.map(({ id }) => id));
  const retries = Map.groupBy(rows.events.filter(isRetry), roundOf);
  return [...Map.groupBy(batches.requests, roundOf)].map(([name, requests]) => {
    const [{ turnId, round }] = requests as [History['batches']['requests'][number]];
    return {
      ...{ turnId, round, retries: retriesOnBatch(retries.get(name) ?? []) },
      sent: requests.filter(({ id }) => sent.has(id)).length,
      used: requests.filter(({ fate }) => fate === 'used').length,
    };
  });
}

/**
 * Returns rounds that were sent more or fewer requests than they have used and reported as retries. The last request
 * of a cancelled turn may be sent, and its answer is dropped.
 */
export function oddRequests({ batches, plans, rows }: Batches): string[] {
  const cancelled = new Set(plans.flatMap(({ number, shape }) => (shape === 'cancel' ? [number] : [])));
  const planOf = new Map(rows.turns.map(({ id, plan }) => [id, plan]));
  return batchedRounds({ batches, rows }).flatMap(({ turnId, round, sent, used, retries }) => {
    const extra = sent - used - retries;
    const mayDrop = used === 0 && cancelled.has(planOf.get(turnId) ?? 0);
    if (used <= 1 && (extra === 0 || (extra === 1 && mayDrop))) return [];
    return [`round ${round} of ${turnId} was sent ${sent} times, used ${used} answers and reported ${retries} retries`];
  });
}

/** Returns requests that still exist, and rounds that used no answer although they never left their tier. */
export function leftRequests({ batches, rows }: Pick<History, 'batches' | 'rows'>): string[] {
  const left = batches.requests.filter(({ fate }) => fate === 'left');
  const used = new Set(batches.requests.filter(({ fate }) => fate === 'used').map(roundOf));
  const changed = new Set(rows.events.filter(({ type }) => type === 'tier.changed').map(roundOf));
  const unasked = batches.rounds.filter((saved) => {
    const name = roundOf({ turnId: saved.turnId, round: saved.number });
    return !used.has(name) && !changed.has(name);
  });
  return [
    ...left.map(({ id, turnId }) => `${id} of ${turnId} still exists`),
    ...unasked.map(({ turnId, number }) => `round ${number} of ${turnId} has no answer of a batch`),
  ];
}

/** Returns usage that was not counted exactly once: of a round, or of a dropped answer. */
export function miscountedUsage({ batches }: Pick<History, 'batches'>): string[] {
  const { rounds = [], late = [] } = Object.groupBy(batches.usage, (record) => (record.rounds > 0 ? 'rounds' : 'late'));
  const counted = `${rounds.length} rounds with ${tokensOf(rounds)} tokens`;
  const saved = `${batches.rounds.length} rounds with ${tokensOf(batches.rounds)} tokens`;
  const dropped = Map.groupBy(
    batches.requests.filter(({ fate }) => fate === 'dropped'),
    ({ goneIn }) => goneIn,
  );
  const excess = [...Map.groupBy(late, ({ recordedIn }) => recordedIn)].flatMap(([commit, records]) => {
    const answers = dropped.get(commit)?.length ?? 0;
    return records.length > answers ? [`a commit counted ${records.length} late answers and dropped ${answers}`] : [];
  });
  return [...(counted === saved ? [] : [`usage has ${counted}, but ${saved} were saved`]), ...excess];
}

function tokensOf(counted: { tokens: number }[]): number {
  return counted.reduce((sum, { tokens }) => sum + tokens, 0);
}

type RoundEvent = History['rows']['events'][number];

function isRetry({ type }: RoundEvent): boolean {
  return type === 'step.retrying' || type === 'tier.changed';
}

/** Counts the retries until the round leaves its tier, in the order of events. */
function retriesOnBatch(events: RoundEvent[]): number {
  const change = events.findIndex(({ type }) => type === 'tier.changed');
  return change < 0 ? events.length : change + 1;
}

function roundOf({ turnId, round }: { turnId: string; round: number | null }): string {
  return `${round} of ${turnId}`;
}
