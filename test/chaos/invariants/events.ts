import type { History, SeenTurn } from '../history.ts';

/** Returns turns with events other than 1, 2, 3 … up to the turn's last event. */
export function gappedEvents({ rows }: Pick<History, 'rows'>): string[] {
  const eventsOf = Map.groupBy(rows.events, ({ turnId }) => turnId);
  return rows.turns.flatMap(({ id, lastEvent }) => {
    const numbers = (eventsOf.get(id) ?? []).map(({ number }) => number);
    return isFull(numbers, lastEvent) ? [] : [`${id} has the events ${numbers.join(', ')} of ${lastEvent}`];
  });
}

const OF_ROUNDS = ['step.retrying', 'tier.changed', 'model.changed', 'round.completed'];

/** Returns turns with an event of a round after events of the next round, or after the round's own reply. */
export function mixedRounds({ rows }: Pick<History, 'rows'>): string[] {
  const events = rows.events.filter(({ type }) => OF_ROUNDS.includes(type));
  return [...Map.groupBy(events, ({ turnId }) => turnId)].flatMap(([turnId, inOrder]) => {
    let completed = 0;
    const mixed = inOrder.find(({ type, round }) => {
      if (round === null) return false;
      if (round <= completed) return true;
      if (type === 'round.completed') completed = round;
      return false;
    });
    return mixed ? [`${turnId} has ${mixed.type} of round ${mixed.round} after round ${completed}`] : [];
  });
}

/** Returns clients that missed a durable event, got an event twice, or saw an end that is not the stored end. */
export function deceivedClients({ seen, rows, plans }: Pick<History, 'seen' | 'rows' | 'plans'>): string[] {
  const rowOf = new Map(rows.turns.map((row) => [row.id, row]));
  const planOf = new Map(plans.map((plan) => [plan.number, plan]));
  return [...seen].flatMap(([turnId, client]) => {
    const row = rowOf.get(turnId);
    if (!row || row.completedAt === null) return [];
    const name = `the client of ${turnId}`;
    if (client.status !== row.status) return [`${name} saw it end as ${client.status}, not ${row.status}`];
    if (client.lastEvent !== row.lastEvent)
      return [`${name} saw ${client.lastEvent} as its last event, not ${row.lastEvent}`];
    const streamed = planOf.get(client.plan)?.followBy === 'stream';
    return streamed && !isFull(client.numbers, row.lastEvent) ? [`${name} got ${describeSeen(client)}`] : [];
  });
}

function isFull(numbers: number[], last: number): boolean {
  return numbers.length === last && numbers.every((number, index) => number === index + 1);
}

function describeSeen({ numbers, lastEvent }: SeenTurn): string {
  return `the events ${numbers.join(', ')} of ${lastEvent}`;
}
