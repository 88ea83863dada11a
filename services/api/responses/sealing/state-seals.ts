import { splitModel } from '#core/llm/split-model.ts';
import { type InputItem, isMessage } from '#core/turn/request/item.ts';
import { itemIdOf } from '#core/turn/responses/item-id.ts';
import { handsOutState, reasoningId } from '#core/turn/responses/output-item.ts';
import type { Round, Turn } from '#core/turn/turn.ts';
import { type SealingKeys, type StateOwner, sealState, spreadKey, unsealState } from './seal.ts';

/** What providers want back, as callers keep it and send it again (contract-responses R33). */
export type StateSeals = {
  /** A turn whose answers show the state of each round: where its create asked for it, or `isAsked`. Else the turn as it is. */
  sealRounds(turn: Turn, isAsked?: boolean): Turn;
  /** The same, with the state that came with its input. */
  sealTurn(turn: Turn, isAsked?: boolean): Turn;
  /** The item that a caller sent back; null where it was sealed for another, or is not ours. */
  unseal(sealed: string, owner: StateOwner): InputItem | null;
};

/** Seals and unseals with the key of the database. A round is sealed once as long as it is kept in memory. */
export function makeStateSeals(key: string): StateSeals {
  const keys = spreadKey(key);
  const known = new WeakMap<Round, Round>();

  function sealRound(turn: Turn, round: Round): Round {
    const sealed = known.get(round) ?? { ...round, sealed: sealedRound(keys, turn, round) };
    known.set(round, sealed);
    return sealed;
  }
  const sealRounds: StateSeals['sealRounds'] = (turn, isAsked = false) => {
    if (!isAsked && !handsOutState(turn)) return turn;
    return { ...turn, rounds: turn.rounds.map((round) => sealRound(turn, round)) };
  };
  return {
    sealRounds,
    sealTurn: (turn, isAsked = false) => {
      if (!isAsked && !handsOutState(turn)) return turn;
      const input = turn.input.map((item, index) => sealedItem(keys, turn, { item, index }));
      return { ...sealRounds(turn, isAsked), input };
    },
    unseal: (sealed, owner) => {
      const state = unsealState(keys, sealed, owner);
      return state === null ? null : { type: 'opaque_state', provider: owner.provider, state };
    },
  };
}

function sealedRound(keys: SealingKeys, { id, project }: Turn, { number, model, opaque }: Round): string {
  const { provider } = splitModel(model);
  return sealState(keys, opaque, { project, provider, place: reasoningId(id, number) });
}

function sealedItem(keys: SealingKeys, turn: Turn, { item, index }: { item: InputItem; index: number }): InputItem {
  if (isMessage(item) || item.type !== 'opaque_state') return item;
  const { provider, state } = item;
  const place = itemIdOf(turn.id, { kind: 'input', prefix: 'rs', index });
  return { ...item, sealed: sealState(keys, state, { project: turn.project, provider, place }) };
}
