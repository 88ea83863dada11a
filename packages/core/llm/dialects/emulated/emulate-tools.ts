import { REPLY_BOUNDS } from '../../../bounds/reply-bounds.ts';
import { ProviderFailed } from '../../../failure.ts';
import { cleanText } from '../../../text.ts';
import type { ToolChoice } from '../../../turn/config/tool-choice.ts';
import type { RequestedCall } from '../../../turn/message.ts';
import { type FinishReason, type Reply, sumRequests } from '../../../turn/reply.ts';
import type { Provider, RoundRequest } from '../../provider.ts';
import { followsRefusal, joinRefusals } from '../../refusals/with-own-state.ts';
import { withoutState } from '../../refusals/without-state.ts';
import { mayRefuseTools, unlessFailed, withoutTools } from '../../reply/forbid-calls.ts';
import { boundReply } from '../../unusable-reply.ts';
import { answerRequest, decisionRequest } from './decision-request.ts';
import { type DecidedCall, parseDecision } from './parse-decision.ts';

type Ask = Pick<Provider, 'ask'>;

/**
 * Lets a model without native tool calls call tools. Where its reply has none, it is asked once more which tools it
 * wants, as JSON. Where it wants none, it is asked for its answer. Only that answer is shown as deltas. A decision
 * against `tool_choice` is a `ProviderFailed` `tool_choice_violated`. If no tool may be called, the first reply is the
 * answer.
 */
export function emulateTools(provider: Ask): Ask {
  return {
    async ask(request, signal, onDelta) {
      if (!request.mayCall && request.tools.length > 0) return provider.ask(request, signal, onDelta);
      if (request.tools.length === 0) return provider.ask(withoutTools(request), signal, onDelta);
      const ask = () => provider.ask(request, signal, hide);
      const first = await unlessFailed(ask, ({ code }) => mayRefuseTools(code));
      if (first && first.calls.length > 0) return first;

      const rest = followsRefusal(first) ? withoutState(request) : request;
      const decision = await provider.ask(decisionRequest(rest), signal, hide);
      boundReply(decision.text?.length ?? 0, REPLY_BOUNDS.markedLength, 'of text that decides on tool calls');
      const decided = parseDecision(decision.text, receivedIn(request));
      enforceChoice(decided, request.toolChoice);
      if (decided.length > 0) {
        const calls = nameEmulated(decided);
        const finishReason = reasonToCall(decision);
        return emulated({ ...decision, text: null, calls, finishReason }, [first, decision]);
      }
      const last = followsRefusal(decision) ? withoutState(request) : rest;
      const answer = await provider.ask(answerRequest(last), signal, onDelta);
      return emulated(answer, [first, decision, answer]);
    },
  };
}

/** Only a decision that ended well has calls to run. */
function reasonToCall({ finishReason }: Reply): FinishReason {
  return finishReason === 'stop' ? 'tool_calls' : finishReason;
}

/** What the history holds that the model did not write. */
function receivedIn({ messages }: RoundRequest): string[] {
  return messages.flatMap(({ role, content }) => (role === 'tool' || role === 'user' ? (content ?? []) : []));
}

/** Drops deltas: what a dropped reply says is not shown. */
function hide(): void {}

/** The reply that counts, with what all requests took; null stands for a refused one. */
function emulated(reply: Reply, asked: (Reply | null)[]): Reply {
  return {
    ...joinRefusals(reply, asked),
    usage: sumRequests(asked.map((each) => each?.usage ?? null)),
    requests: asked.length,
    warnings: [...new Set([...asked.flatMap((each) => each?.warnings ?? []), 'tool calls emulated'])],
  };
}

/** Holds a decision against `tool_choice`; one that breaks it is a `ProviderFailed` `tool_choice_violated`. */
function enforceChoice(calls: DecidedCall[], choice: ToolChoice): void {
  if (choice === 'auto') return;
  if (choice === 'none') {
    if (calls.length > 0) throw violation(`tool_choice is none, but the model called ${namesOf(calls)}.`);
  } else if (choice === 'required') {
    if (calls.length === 0) throw violation('tool_choice is required, but the model called no tool.');
  } else if (calls.length !== 1 || calls[0]?.name !== choice.name) {
    throw violation(`tool_choice demands one call of "${choice.name}", but the model called ${namesOf(calls)}.`);
  }
}

function violation(what: string): ProviderFailed {
  const message = `${what} Retry the turn, choose auto, or use a model that follows it.`;
  return new ProviderFailed('tool_choice_violated', message, { retry: { kind: 'never' } });
}

/** What a model calls may be any text, of any length. */
function namesOf(calls: DecidedCall[]): string {
  const names = calls.map(({ name }) => JSON.stringify(name)).join(', ');
  return cleanText(names.slice(0, 200)) || 'no tool';
}

/** Decided calls with ids, `emulated_<unix nanoseconds>_<index>` (contract: words). */
function nameEmulated(calls: DecidedCall[]): RequestedCall[] {
  const now = BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n);
  return calls.map((call, index) => ({ id: `emulated_${now}_${index}`, ...call }));
}
