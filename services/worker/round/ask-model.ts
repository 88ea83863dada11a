import type { Provider } from '#core/llm/provider.ts';
import type { Reply } from '#core/turn/reply.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { FREE, type Permit } from '../rate-limits.ts';

/** The result of a request: a reply or a failure, with the run that counts the requests. */
export type Asked = { kind: 'replied'; run: Run; reply: Reply } | Failed;

/**
 * A run without a reply to its round. If the request was for a summary, `model` is the model of the request. Then
 * `triedBefore` of the step's attempts belong to another model.
 */
export type Failed = { kind: 'failed'; run: Run; failure: unknown; model?: string; triedBefore?: number };

/** Returns a function that turns an error of a run into a failure. */
export function failedWith(run: Run): (failure: unknown) => Failed {
  return (failure) => ({ kind: 'failed', run, failure });
}

type Caller = Pick<Provider, 'ask' | 'name'>;

type Question = {
  /** The name of the rate limit of the request. */
  limit: string;
  /** True for a response that the round waits for, and for a request in a batch: they need no permit. */
  isFree?: boolean;
  /** Sends the request through a provider that `counted` has wrapped. */
  ask(by: { permit: Permit; counted: (provider: Caller) => Caller }): Promise<Reply>;
};

/**
 * Asks a model under its rate limit. Counts each request, since a round of a dialect may send several. Requests
 * before a failed request count too. Never throws. After a reply that uses up a limit, the model is not asked, as
 * after a 429.
 */
export async function askModel(
  run: Run,
  { limit, isFree = false, ask }: Question,
  { rateLimits }: WorkerContext,
): Promise<Asked> {
  using permit = isFree ? FREE : rateLimits.acquire(limit);
  let { requests } = run;
  const counted = (provider: Caller): Caller => ({
    name: provider.name,
    ask: (...request) => {
      requests += 1;
      return provider.ask(...request);
    },
  });
  try {
    const reply = await ask({ permit, counted });
    permit.answered();
    if (reply.exhaustedForMs !== undefined) rateLimits.exhausted(limit, reply.exhaustedForMs);
    return { kind: 'replied', run: { ...run, requests }, reply };
  } catch (failure) {
    return failedWith({ ...run, requests })(failure);
  }
}
