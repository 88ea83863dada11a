import type { Ack, Answer, SeenTurn } from '../history.ts';

/** What the clients of a load record. */
export type Journal = { answers: Answer[]; acks: Ack[]; seen: Map<string, SeenTurn> };

/** Opens an empty journal. */
export function makeJournal(): Journal {
  return { answers: [], acks: [], seen: new Map() };
}
