import type { Db } from '#core/checkpoint/tables.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import type { Turn } from '#core/turn/turn.ts';
import { fillImages } from './images/fill-images.ts';
import type { StateSeals } from './sealing/state-seals.ts';

type Context = { db: Db; stateSeals: StateSeals };

/** Presents a response with its images, and with sealed state if its create or `isAsked` requests the state. */
export async function presentFilled({ db, stateSeals }: Context, turn: Turn, isAsked = false) {
  return presentResponse(stateSeals.sealRounds(await fillImages(db, turn), isAsked));
}
