import type { Provider, RoundRequest } from '#core/llm/provider.ts';
import type { Reply, Usage } from '#core/turn/reply.ts';
import { chatContent } from '../../process/trace/content.ts';
import type { Tracer } from '../../process/trace/tracer.ts';
import { chatSpan } from '../../process/trace/turn-spans.ts';
import type { WorkerContext } from '../context.ts';
import type { Attempt, Run, Tried } from '../lease/run.ts';

/** What the attempts of a worker are reported to. */
type Reporting = Pick<WorkerContext, 'metrics' | 'tracer' | 'redact'>;

/** Notes that a run asks the model of its turn now. */
export function startAttempt(run: Run, round: number): Attempt {
  const times = { startedAt: Date.now(), firstChunkAt: null, repliedAt: null };
  run.attempt = { round, model: run.turn.work.model, ...times, sent: null, asked: null };
  return run.attempt;
}

/** Notes what spans say about the request of an attempt, once it is known. */
export function noteRequest(
  attempt: Attempt,
  { request, provider: { server } }: { request: RoundRequest; provider: Pick<Provider, 'server'> },
  { withContent }: Pick<Tracer, 'withContent'>,
): void {
  const { maxOutputTokens, temperature, topP } = request;
  attempt.sent = { maxOutputTokens, temperature, topP, ...(server && { server }) };
  if (withContent) attempt.asked = request;
}

/** Reports a round whose reply was committed, with what it used and cost. */
export function reportRound(run: Run, reply: Reply & { usage: Usage | null }, reporting: Reporting): void {
  const { attempt, turn } = run;
  if (!attempt) return;
  const { model, startedAt, firstChunkAt, repliedAt } = attempt;
  const firstChunkMs = firstChunkAt === null ? null : firstChunkAt - startedAt;
  const durationMs = (repliedAt ?? Date.now()) - startedAt;
  reporting.metrics.roundSaved({ project: turn.project, model, durationMs, firstChunkMs, usage: reply.usage });
  trace(run, attempt, { reply, errorType: null }, reporting);
  run.attempt = null;
}

/** Reports that a request of a run brought no reply, where one was under way: `outcome` is the code of its failure. */
export function reportFailedAttempt(run: Run, outcome: string, reporting: Reporting): void {
  const { attempt } = run;
  if (!attempt) return;
  reporting.metrics.roundAttempted(attempt.model, outcome);
  trace(run, attempt, { reply: null, errorType: outcome }, reporting);
  run.failed = { round: attempt.round, startedAt: attempt.startedAt };
  run.attempt = null;
}

/** The last try of a round that failed, to be kept for the span of the next one to link to; null where none is traced. */
export function failedTry({ attempt, failed }: Run, { tracer }: Pick<Reporting, 'tracer'>): Tried | null {
  if (!tracer.isOn) return null;
  return attempt ? { round: attempt.round, startedAt: attempt.startedAt } : failed;
}

type Outcome = { reply: Reply | null; errorType: string | null };

function trace(run: Run, attempt: Attempt, { reply, errorType }: Outcome, { tracer, redact }: Reporting): void {
  if (!tracer.isOn) return;
  const { turn, queueWaitMs, failed } = run;
  const before = failed ?? turn.trace?.failed;
  const span = chatSpan(turn, {
    ...{ ...attempt, reply, errorType, queueWaitMs },
    endedAt: attempt.repliedAt ?? Date.now(),
    attempt: turn.work.attempts + turn.work.starts + 1,
    failedBefore: before?.round === attempt.round ? before : null,
  });
  const content = attempt.asked ? chatContent(attempt.asked, reply, redact) : {};
  tracer.report({ ...span, attributes: { ...span.attributes, ...content } });
}
