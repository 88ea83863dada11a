import type { Ack, Answer, GoneTurn, SeenResponse, SeenTurn } from '../history.ts';

export type Journal = {
  answers: Answer[];
  acks: Ack[];
  seen: Map<string, SeenTurn>;
  responses: SeenResponse[];
  gone: GoneTurn[];
};

export function makeJournal(): Journal {
  return { answers: [], acks: [], seen: new Map(), responses: [], gone: [] };
}
