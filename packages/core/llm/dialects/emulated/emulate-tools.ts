import { ProviderFailed } from '../../../failure.ts';
import type { Reply } from '../../../turn/reply.ts';
import { sumUsage } from '../../../turn/usage.ts';
import type { Provider, RoundRequest } from '../../provider.ts';
import { boundReply, REPLY_LIMITS } from '../../reply-limits.ts';
import { answerRequest } from './answer-request.ts';
import { decisionRequest } from './decision-request.ts';
import { enforceChoice } from './enforce-choice.ts';
import { nameEmulated } from './name-emulated.ts';
import { parseDecision } from './parse-decision.ts';

type Ask = Pick<Provider, 'ask'>;

/**
 * Lets a model without native tool calls call tools: where its reply has none, it is asked once more which tools it
 * wants, as JSON, and where it wants none, for its answer. Only that answer is shown as deltas. A decision against
 * `tool_choice` is a `ProviderFailed` `tool_choice_violated`.
 */
export function emulateTools(provider: Ask): Ask {
  return {
    async ask(request, signal, onDelta) {
      if (request.tools.length === 0) return provider.ask({ ...request, declaredTools: null }, signal, onDelta);
      const first = await askNatively(provider, request, signal);
      if (first && first.calls.length > 0) return first;

      const decision = await provider.ask(decisionRequest(request), signal, hide);
      boundReply(decision.text?.length ?? 0, REPLY_LIMITS.markedLength, 'of text that decides on tool calls');
      const decided = parseDecision(decision.text, heardIn(request));
      enforceChoice(decided, request.toolChoice);
      if (decided.length > 0) {
        const calls = nameEmulated(decided);
        return emulated({ ...decision, text: null, calls, finishReason: 'tool_calls' }, [first, decision]);
      }
      const answer = await provider.ask(answerRequest(request), signal, onDelta);
      return emulated(answer, [first, decision, answer]);
    },
  };
}

/** What others than the model wrote into its history. */
function heardIn({ messages }: RoundRequest): string[] {
  return messages.flatMap(({ role, content }) => (role === 'tool' || role === 'user' ? (content ?? []) : []));
}

/** Nobody is shown what is dropped when tools are emulated. */
function hide(): void {}

/** The reply to the request as it stands; null where the provider refuses its tools. */
async function askNatively(provider: Ask, request: RoundRequest, signal: AbortSignal): Promise<Reply | null> {
  try {
    return await provider.ask(request, signal, hide);
  } catch (failure) {
    if (failure instanceof ProviderFailed && mayRefuseTools(failure)) return null;
    throw failure;
  }
}

/**
 * Whether the tools may be what a provider refused. If it was something else, the next request is refused, too.
 * OpenRouter says 404, llama.cpp 500 to tools.
 */
function mayRefuseTools({ code, message }: ProviderFailed): boolean {
  return code === 'provider_invalid_request' || /support tool use|tools param/i.test(message);
}

/** The reply that counts, with what all requests took; null stands for a refused one. */
function emulated(reply: Reply, asked: (Reply | null)[]): Reply {
  const usages = asked.map((each) => each?.usage ?? null);
  return {
    ...reply,
    usage: usages.some((usage) => usage !== null) ? sumUsage(usages) : null,
    requests: asked.length,
    warnings: [...(reply.warnings ?? []), 'tool calls emulated'],
  };
}
