import type { Ack, Answer, GoneTurn, SeenResponse, SeenTurn } from '../history.ts';

/** What the clients of a load record. */
export type Journal = {
  answers: Answer[];
  acks: Ack[];
  seen: Map<string, SeenTurn>;
  responses: SeenResponse[];
  gone: GoneTurn[];
};

/** Opens an empty journal. */
export function makeJournal(): Journal {
  return { answers: [], acks: [], seen: new Map(), responses: [], gone: [] };
}
