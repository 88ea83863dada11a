import type { Turn } from '#core/turn/turn.ts';
import type { ReadRequest } from '../request/read-request.ts';

/** Is called with a new turn, its request, and the id of the turn that it follows. */
export type TurnStarted = (turn: Turn, request: ReadRequest, follows: string | null) => void;
