import type { NewCompletion } from '#core/turn/predict.ts';
import type { TurnConfig } from '#core/turn/request/turn.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { PlacedItem } from './read-input.ts';

/** A checked create request with every default filled in. */
export type ReadRequest = {
  /** The configuration of the turn. Answers repeat `config.response`. */
  config: TurnConfig;
  input: PlacedItem[];
  metadata: Record<string, string>;
  priority: number;
  previousResponseId: string | null;
  conversationId: string | null;
  store: boolean;
  /** The id of the conversation that the response begins. Only a request with an agent needs it in advance. */
  newConversationId?: string;
  /** Types of tools that were left out (`PAWL_UNSUPPORTED_TOOLS=ignore`). */
  ignoredTools: string[];
  /** Only for a chat completion. */
  completion?: NewCompletion;
  /** The turn that the kept response of a WebSocket follows. If set, no other field names a turn to follow. */
  follows?: string | null;
  /** The turn ends in the transaction that creates it (`generate: false`). */
  isWarmUp?: boolean;
};

/** Called with a new turn, its request, and the id of the turn that it follows. */
export type TurnStarted = (turn: Turn, request: ReadRequest, follows: string | null) => void;
