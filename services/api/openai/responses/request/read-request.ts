import type { NewCompletion } from '#core/turn/predict.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { PlacedItem } from './read-input.ts';

/** A create request, checked and with every default filled in. */
export type ReadRequest = {
  /** The configuration of the turn. The answers show `config.response` again. */
  config: TurnConfig;
  input: PlacedItem[];
  metadata: Record<string, string>;
  priority: number;
  previousResponseId: string | null;
  conversationId: string | null;
  store: boolean;
  /** Types of tools that were left out (`PAWL_UNSUPPORTED_TOOLS=ignore`). */
  ignoredTools: string[];
  /** Only of a chat completion. */
  completion?: NewCompletion;
  /** The turn that the kept response of a WebSocket follows. Then no other field names a turn to follow. */
  follows?: string | null;
  /** The turn ends in the transaction that creates it (contract-responses R73, `generate: false`). */
  isWarmUp?: boolean;
};

/** Is called with a new turn, its request, and the id of the turn that it follows. */
export type TurnStarted = (turn: Turn, request: ReadRequest, follows: string | null) => void;
