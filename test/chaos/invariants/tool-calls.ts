import type { History } from '../history.ts';

type RecordedCalls = Pick<History, 'toolCalls'>;

/** Returns calls of the tools `book` and `pay` (`at_most_once`) that their server received more than once. */
export function repeatedBookings({ toolCalls }: RecordedCalls): string[] {
  const bookings = toolCalls.filter(({ tool }) => tool === 'book' || tool === 'pay');
  return [...Map.groupBy(bookings, ({ mark }) => mark)].flatMap(([mark, calls]) =>
    calls.length > 1 ? [`${calls[0]?.tool} ${mark} was called ${calls.length} times`] : [],
  );
}

/** Returns calls that were repeated with another key or other arguments. */
export function changedCalls({ toolCalls }: RecordedCalls): string[] {
  const byMark = [...Map.groupBy(toolCalls, ({ mark }) => mark)].flatMap(([mark, calls]) =>
    new Set(calls.map(({ key }) => key)).size > 1 ? [`${mark} was called under several keys`] : [],
  );
  const byKey = [...Map.groupBy(toolCalls, ({ key }) => key)].flatMap(([key, calls]) =>
    new Set(calls.map(({ tool, args }) => `${tool} ${args}`)).size > 1 ? [`${key} was sent with other arguments`] : [],
  );
  return [...byMark, ...byKey];
}

/** Returns results of calls that no tool has received, and received calls that no reply of the model requested. */
export function inventedResults({ toolCalls, rows }: RecordedCalls & Pick<History, 'rows'>): string[] {
  const seen = new Set(toolCalls.map(({ mark }) => mark));
  const requested = new Set(rows.calls.map(({ mark }) => mark));
  const invented = rows.calls.filter(
    ({ outcome, mark, name }) => outcome === 'success' && name !== 'ask_user' && !seen.has(mark ?? ''),
  );
  const unrequested = [...seen].filter((mark) => !requested.has(mark));
  return [
    ...invented.map(({ turnId, mark }) => `${turnId} has a result of ${mark}, which was never called`),
    ...unrequested.map((mark) => `${mark} was called and is in no committed round`),
  ];
}

export function openCalls({ rows }: Pick<History, 'rows'>): string[] {
  const ended = new Set(rows.turns.filter(({ completedAt }) => completedAt !== null).map(({ id }) => id));
  const open = rows.calls.filter(({ outcome, turnId }) => outcome === null && ended.has(turnId));
  return open.map(({ turnId, mark }) => `${turnId} has ended, and its call ${mark} has no result`);
}
