import { type Booked, bookRequest, correctBooking } from '#core/checkpoint/provider-limits/book-request.ts';
import type { ProviderLimit } from '#core/llm/by-model/provider-limits.ts';
import { tokensOfMessages, tokensOfRequest } from '#core/turn/compaction/tokens-of-request.ts';
import type { Message } from '#core/turn/message.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { Turn } from '#core/turn/turn.ts';
import type { Wakeup } from '#core/turn/wakeup.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { waitUnderLimit } from './wait-under-limit.ts';

/** Room under the limits of a model for a request. `correct` writes the room that it took, after its reply is saved. */
export type Room = { kind: 'taken'; correctionOf(reply: Reply): () => Promise<void> };

type Asking = {
  step: RoundStep;
  model: string;
  messages: readonly Message[];
  /** The most tokens that a summary may have; a round has the bounds of its turn. */
  summaryTokens?: number;
};

const UNLIMITED: Room = { kind: 'taken', correctionOf: () => async () => {} };

/**
 * Books the requests of a round under the limits of its model, before they are made. If there is no room, the step
 * is postponed until there is: this uses no attempt and counts towards no wait. A model without limits costs nothing
 * here.
 */
export async function takeRoom(
  run: Run,
  asking: Asking,
  context: WorkerContext,
): Promise<Room | { kind: 'left'; wakeups: Wakeup[] }> {
  const limits = context.providerLimits.of(asking.model);
  if (limits.length === 0) return UNLIMITED;
  const booking = { limits, ...likelyUse(run.turn, asking, context) };
  const before = run.requests;
  const booked = await bookInOrder(context, () =>
    bookRequest(context.db, { ...booking, turnId: run.turn.id, runId: run.id }),
  );
  if (booked.kind === 'full')
    return { kind: 'left', wakeups: await wait(run, { ...asking, booking, booked }, context) };
  return {
    kind: 'taken',
    correctionOf: ({ usage }) => {
      const requests = run.requests - before;
      if (usage) context.meanOutput.note(asking.model, usage.output_tokens / Math.max(1, requests));
      const took = { requests, tokens: usage?.total_tokens ?? booking.tokens };
      return () => correct({ ...booking, at: booked.at }, took, context);
    },
  };
}

/** A process books and corrects one at a time: each would hold a connection while it waits for the others. */
async function bookInOrder<Result>(context: WorkerContext, book: () => Promise<Result>): Promise<Result> {
  const next = (lastOf.get(context) ?? Promise.resolve()).then(book, book);
  lastOf.set(
    context,
    next.catch(() => undefined),
  );
  return await next;
}

const lastOf = new WeakMap<WorkerContext, Promise<unknown>>();

/** As many requests as an emulated round takes with one decision, and the tokens of one answer if nothing bounds it. */
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
  // A booking that stays as it was ends within a minute.
  const correction = { limits, at, requests, tokens };
  await bookInOrder(context, () => correctBooking(context.db, correction)).catch((error: unknown) =>
    context.availability.suspect(error),
  );
}

/** The longest time until a turn looks for room, if nothing wakes it before. */
const LONGEST_WAIT_MS = 600_000;

async function wait(
  run: Run,
  { step, booking, booked }: Asking & { booking: Use; booked: Extract<Booked, { kind: 'full' }> },
  context: WorkerContext,
): Promise<Wakeup[]> {
  const { requests, tokens } = booking;
  const delayMs = Math.min(Math.ceil(booked.waitMs ?? LONGEST_WAIT_MS), LONGEST_WAIT_MS);
  return await waitUnderLimit(run, { step, delayMs, waiter: { name: booked.name, requests, tokens } }, context);
}
