import { bookRequest, correctBooking } from '#core/checkpoint/provider-limits/book-request.ts';
import type { Waiter } from '#core/checkpoint/provider-limits/insert-wait.ts';
import type { ProviderLimit } from '#core/llm/by-model/provider-limits.ts';
import { tokensOfMessages, tokensOfRequest } from '#core/turn/compaction/tokens-of-request.ts';
import type { Message } from '#core/turn/message.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';

/**
 * Room under the limits of a model for a request. `correctionOf` takes the reply and the number of requests made. It
 * returns a function that corrects the booking, to be called after the reply is saved.
 */
export type Room = { kind: 'taken'; correctionOf(reply: Reply, requests: number): () => Promise<void> };

/** No room now: the step waits as `waiter`, and checks for room after `delayMs` at the latest. */
export type NoRoom = { kind: 'full'; delayMs: number; waiter: Waiter };

type Asking = {
  model: string;
  messages: readonly Message[];
  /** The maximum tokens of a summary. A round has the bounds of its turn instead. */
  summaryTokens?: number;
};

/** The room of a request without limits, or without a booking. */
export const UNLIMITED: Room = { kind: 'taken', correctionOf: () => async () => {} };

/** The longest time until a turn checks for room again, if it receives no earlier wakeup. */
const LONGEST_WAIT_MS = 600_000;

/** Books the requests of a round under the limits of its model, before they are made. Without limits, books none. */
export async function takeRoom(run: Run, asking: Asking, context: WorkerContext): Promise<Room | NoRoom> {
  // `correctionOf` lives until after the commit, so it may not keep `asking` with the messages of the history.
  const { model } = asking;
  const limits = context.providerLimits.of(model);
  if (limits.length === 0) return UNLIMITED;
  const { requests, tokens } = likelyUse(run.turn, asking, context);
  const booking = { limits, requests, tokens };
  const booked = await bookInOrder(context, () =>
    bookRequest(context.db, { ...booking, turnId: run.turn.id, runId: run.lease.id }),
  );
  if (booked.kind === 'full') {
    const delayMs = Math.min(Math.ceil(booked.waitMs ?? LONGEST_WAIT_MS), LONGEST_WAIT_MS);
    return { kind: 'full', delayMs, waiter: { name: booked.name, requests, tokens } };
  }
  return {
    kind: 'taken',
    correctionOf: ({ usage }, made) => {
      if (usage) context.meanOutput.note(model, usage.output_tokens / Math.max(1, made));
      const took = { requests: made, tokens: usage?.total_tokens ?? tokens };
      return () => correct({ ...booking, at: booked.at }, took, context);
    },
  };
}

/** Books or corrects in sequence. In parallel, each would hold a connection while it waits for the others. */
async function bookInOrder<Result>(context: WorkerContext, book: () => Promise<Result>): Promise<Result> {
  const next = (lastOf.get(context) ?? Promise.resolve()).then(book, book);
  lastOf.set(
    context,
    next.catch(() => undefined),
  );
  return await next;
}

const lastOf = new WeakMap<WorkerContext, Promise<unknown>>();

/** The requests of an emulated round with one decision, and the tokens of one answer without a bound. */
const EMULATED_REQUESTS = 3;
const UNKNOWN_OUTPUT = 1_000;

function likelyUse({ config }: Turn, { messages, model, summaryTokens }: Asking, { meanOutput }: WorkerContext) {
  if (summaryTokens !== undefined) return { requests: 1, tokens: tokensOfMessages(messages) + summaryTokens };
  const { tool_mode, tools, max_output_tokens: most } = config;
  const requests = tool_mode === 'emulated' && tools.length > 0 ? EMULATED_REQUESTS : 1;
  const output = most ?? meanOutput.of(model) ?? UNKNOWN_OUTPUT;
  return { requests, tokens: Math.ceil(requests * (tokensOfRequest(messages, config) + output)) };
}

type Use = { requests: number; tokens: number };
type BookedUse = Use & { limits: readonly ProviderLimit[]; at: number };

async function correct(booked: BookedUse, took: Use, context: WorkerContext) {
  const { limits, at } = booked;
  const requests = took.requests - booked.requests;
  const tokens = took.tokens - booked.tokens;
  const counts = limits.some(
    (limit) => (limit.tokens_per_minute && tokens !== 0) || (limit.requests_per_minute && requests !== 0),
  );
  if (!counts) return;
  // An uncorrected booking ends within a minute.
  const correction = { limits, at, requests, tokens };
  await bookInOrder(context, () => correctBooking(context.db, correction)).catch((error: unknown) =>
    context.availability.suspect(error),
  );
}
