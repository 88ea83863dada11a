import type { TurnWake, WakeReceiver } from './pubsub.ts';

/** The wakes of several turns in one message: ids of changed turns, and of turns that surely continue. */
export type Wakes = { changed: string[]; goOn: string[] };

/** Ids of up to 60 characters fit the payload of a NOTIFY (8,000 bytes). */
const IDS_PER_MESSAGE = 100;

/** Gathers wakes, each turn once. If any wake of a turn has no `goesOn`, the gathered wake has no `goesOn` either. */
export function gatherWakes() {
  let waiting = new Map<string, boolean>();

  return {
    /** Adds a wake. Returns whether it is the first. The caller then plans to take the wakes. */
    add: ({ turnId, goesOn }: TurnWake): boolean => {
      const isFirst = waiting.size === 0;
      waiting.set(turnId, goesOn === true && waiting.get(turnId) !== false);
      return isFirst;
    },
    has: (turnId: string): boolean => waiting.has(turnId),
    take: (): Wakes[] => {
      const all = [...waiting];
      waiting = new Map();
      const messages: Wakes[] = [];
      for (let at = 0; at < all.length; at += IDS_PER_MESSAGE)
        messages.push(messageOf(all.slice(at, at + IDS_PER_MESSAGE)));
      return messages;
    },
  };
}

function messageOf(wakes: [turnId: string, goesOn: boolean][]): Wakes {
  const ids = (wanted: boolean) => wakes.filter(([, goesOn]) => goesOn === wanted).map(([turnId]) => turnId);
  return { changed: ids(false), goOn: ids(true) };
}

/** Passes a message to a receiver. Null means that messages may be lost. */
export function receiveWakes(message: Wakes | null, receiver: WakeReceiver): void {
  if (!message) receiver.missed();
  for (const turnId of message?.changed ?? []) receiver.wake({ turnId });
  for (const turnId of message?.goOn ?? []) receiver.wake({ turnId, goesOn: true });
}
