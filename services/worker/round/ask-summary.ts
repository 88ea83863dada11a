import type { RoundRequest } from '#core/llm/provider.ts';
import { settleEmpty } from '#core/llm/reply/settle-empty.ts';
import { timesField } from '#core/llm/round-request.ts';
import { splitModel } from '#core/llm/split-model.ts';
import { MAX_SUMMARY_TOKENS, SUMMARY_INSTRUCTIONS, summaryPrompt } from '#core/turn/compaction/summary-prompt.ts';
import type { Message } from '#core/turn/message.ts';
import type { RoundStep } from '#core/turn/next-step.ts';
import type { Reply } from '#core/turn/reply.ts';
import { turnSpanId } from '../../process/trace/span-ids.ts';
import type { WorkerContext } from '../context.ts';
import type { Run } from '../lease/run.ts';
import { countRequests } from './count-requests.ts';
import { noteExhausted } from './note-exhausted.ts';

/** What a summary is asked of, and what it has to tell. */
export type SummaryQuestion = { step: RoundStep; model: string; messages: readonly Message[] };

/**
 * Asks a model for a summary of messages, once, on its ordinary tier, and without the tools, the sampling and the
 * schema of the turn.
 */
export async function askSummary(run: Run, question: SummaryQuestion, context: WorkerContext): Promise<Reply> {
  const { model } = question;
  using permit = context.rateLimits.acquire(model);
  const provider = context.providers.ofModel(model, run.turn.config.wires);
  const caller = settleEmpty(countRequests(provider, run));
  const trace = context.tracer.headersWithin(run.turn, () => turnSpanId(run.turn));
  const request = { ...summaryRequest(run, question), trace };
  const reply = await caller.ask(request, run.signal, () => permit.answered());
  permit.answered();
  noteExhausted(model, reply, context);
  return reply;
}

/** One message, which any model of any wire takes, whichever wrote the history. */
function summaryRequest({ turn }: Run, { step, model, messages }: SummaryQuestion): RoundRequest {
  const content = summaryPrompt(messages, turn.config.context?.max_input_tokens ?? null);
  return {
    round: step.round,
    model: splitModel(model).model,
    instructions: SUMMARY_INSTRUCTIONS,
    messages: [{ role: 'user', content }],
    ...{ tools: [], declaredTools: null, mayCall: false },
    ...{ toolChoice: 'auto', turnChoice: 'auto', parallelToolCalls: null },
    ...{
      temperature: null,
      topP: null,
      reasoningEffort: null,
      reasoningSummary: null,
      verbosity: null,
      stop: null,
      seed: null,
      textFormat: null,
    },
    maxOutputTokens: MAX_SUMMARY_TOKENS,
    ...{ promptCache: null, serviceTier: null },
    providerOptions: {},
    ...timesField(turn.config),
    requestId: `${turn.id}.${step.round}.${turn.work.generation}s`,
  };
}
