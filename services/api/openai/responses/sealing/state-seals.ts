import { splitModel } from '#core/llm/split-model.ts';
import { type InputItem, isMessage } from '#core/turn/request/item.ts';
import { itemIdOf } from '#core/turn/responses/item-id.ts';
import { handsOutState, reasoningId } from '#core/turn/responses/output-item.ts';
import type { Round, Turn } from '#core/turn/turn.ts';
import { type SealingKeys, type StateOwner, sealState, spreadKey, unsealState } from './seal.ts';

/** Seals and unseals the state of providers that callers keep and send again. */
export type StateSeals = {
  /**
   * Returns a turn that shows the state of each round in its answers, if its create requested this or if `isAsked`.
   * Else returns the turn unchanged.
   */
  sealRounds(turn: Turn, isAsked?: boolean): Turn;
  /** Does the same, including the state in its input. Compactions in the input are always sealed. */
  sealTurn(turn: Turn, isAsked?: boolean): Turn;
  /** Returns the item that a caller sent back. Null if it was sealed for another owner, or is not sealed by Pawl. */
  unseal(sealed: string, owner: StateOwner): InputItem | null;
  /** Seals the summary of a compaction. `place` is the id of its item. */
  sealSummary(summary: string, sealing: { project: string; place: string }): string;
  /** Returns the compaction that a project received sealed, or null for any other text. */
  unsealSummary(sealed: string, project: string): InputItem | null;
};

/** Returns the owner of sealed summaries: any provider may read them. No provider can have this name. */
function ownerOfSummaries(project: string): StateOwner {
  return { project, provider: 'any provider' };
}

/** Seals and unseals with the key of the database. A round in memory is sealed once. */
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
      const isSealed = isAsked || handsOutState(turn);
      const types = new Set(isSealed ? ['opaque_state', 'compaction'] : ['compaction']);
      if (!isSealed && !turn.input.some((item) => isOneOf(item, types))) return turn;
      const input = turn.input.map((item, index) =>
        isOneOf(item, types) ? sealedItem(keys, turn, { item, index }) : item,
      );
      return { ...sealRounds(turn, isAsked), input };
    },
    sealSummary: (summary, { project, place }) => sealState(keys, summary, { ...ownerOfSummaries(project), place }),
    unsealSummary: (sealed, project) => {
      const summary = unsealState(keys, sealed, ownerOfSummaries(project));
      return typeof summary === 'string' ? { type: 'compaction', summary } : null;
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

function isOneOf(item: InputItem, types: ReadonlySet<string>): item is SealedItem {
  return !isMessage(item) && types.has(item.type);
}

type SealedItem = Extract<InputItem, { type: 'opaque_state' | 'compaction' }>;

function sealedItem(
  keys: SealingKeys,
  { id, project }: Turn,
  { item, index }: { item: SealedItem; index: number },
): InputItem {
  const place = { kind: 'input' as const, index };
  if (item.type === 'compaction') {
    const owner = { ...ownerOfSummaries(project), place: itemIdOf(id, { ...place, prefix: 'cmp' }) };
    return { ...item, sealed: sealState(keys, item.summary, owner) };
  }
  const { provider, state } = item;
  const owner = { project, provider, place: itemIdOf(id, { ...place, prefix: 'rs' }) };
  return { ...item, sealed: sealState(keys, state, owner) };
}
