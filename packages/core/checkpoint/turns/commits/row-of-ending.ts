import { sql } from 'kysely';
import type { IncompleteReason, TerminalStatus, TurnError } from '../../../turn/turn.ts';
import type { TurnWakeup } from '../../../turn/wakeup.ts';
import { basedOnColumn } from '../../sql/rounds/based-on.ts';
import { columnsOfRound, type LastRound } from '../../sql/rounds/insert-round.ts';
import { usedColumn } from '../../sql/rounds/record-rounds.ts';
import { rawJson } from '../../sql/statement.ts';

/**
 * The end of a turn. With `run`, it is a negative write (R5): only by the run with the lease, or by a run without a
 * lease while the step is free and of the same generation. So a failure that is written twice does not end a reopened
 * turn.
 */
export type Ending = {
  turnId: string;
  conversationId: string;
  status: TerminalStatus;
  output?: string;
  error?: TurnError;
  incompleteReason?: IncompleteReason;
  step?: string;
  run?: { id: string; generation: number };
  /** Requests to the model without a reply that no row counts yet. */
  failedRequests?: number;
  warnings?: string[];
  lastRound?: LastRound;
  /** True if the turn ends with an answer. The end is then written only if the last round has sent all inputs (R30). */
  answers?: boolean;
  /**
   * True if the turn has a webhook, or an endpoint of its project may want its events (R16). False if the run saw
   * neither.
   */
  hasSubscribers?: boolean;
};

/** The deliveries and the next turn of the conversation that an end makes due. Without a row, the guard refused. */
export type Ended = { delivers: boolean; next: TurnWakeup | null };

export function rowOfEnding({ turnId, conversationId, lastRound, run, ...ending }: Ending, eventIds: string[]) {
  return {
    ...{ turnId, conversationId, eventIds },
    endsAs: ending.status,
    output: ending.output ?? null,
    error: rawJson(ending.error),
    incompleteReason: ending.incompleteReason ?? null,
    warnings: ending.warnings ?? null,
    onlyStep: ending.step ?? null,
    failedRequests: ending.failedRequests ?? 0,
    answers: ending.answers ?? false,
    ...(run && { runId: run.id, runGeneration: run.generation }),
    ...(lastRound && columnsOfRound(lastRound)),
  };
}

export const endingColumns = sql`"conversationId" text, "endsAs" text, output text, error text, "incompleteReason" text, warnings json,
  "onlyStep" text, "runId" text, "runGeneration" int, "roundNumber" int, model text, text text, calls json, reasoning text,
  "refusalFrom" int, hosted json, "serviceTier" text, violations json, "ownDraft" int, "finishReason" text, "finishReasonRaw" text, usage json, ${usedColumn},
  opaque text, requests int, attempts int, "inputsSent" int, "startedAt" double precision, "failedRequests" int, "eventIds" json, answers boolean,
  ${basedOnColumn}`;
