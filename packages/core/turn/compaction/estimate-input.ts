import { transcriptOf } from '../history/transcript.ts';
import type { InputItem } from '../request/item.ts';
import type { TurnConfig } from '../request/turn.ts';
import { type HistoryTurn, sentHistory } from './sent-history.ts';
import { tokensOfItems, tokensOfRequest, tokensSinceCounted } from './tokens-of-request.ts';

/** A turn that does not exist yet, and may follow a history. */
type NextTurn = { input: readonly InputItem[]; config: Pick<TurnConfig, 'instructions' | 'tools'> };

/** About how many tokens the first request of a turn takes, from the last count of a provider if there is one. */
export function estimateInput(history: readonly HistoryTurn[], { input, config }: NextTurn): number {
  const counted = tokensSinceCounted(history);
  if (counted !== null) return counted + tokensOfItems(input);
  const next = { id: '', config, input: [...input], adopted: [], rounds: [], pendingInput: [], output: null };
  const turns = [...sentHistory(history), { ...next, status: 'queued' as const, startedAt: null }];
  return tokensOfRequest(transcriptOf(turns), config);
}
