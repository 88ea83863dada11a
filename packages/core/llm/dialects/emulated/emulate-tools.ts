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
 * Lets a model without native tool calls call tools. If its reply has no calls, a second request asks for its
 * decision on tools, as JSON. If the model decides on no tool, a third request asks for its answer. Only that answer
 * is sent as deltas. A decision against `tool_choice` is a `ProviderFailed` `tool_choice_violated`. If no tool may be
 * called, the first reply is the answer.
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

/** Returns the finish reason. Only a decision with a regular end has calls to run. */
function reasonToCall({ finishReason }: Reply): FinishReason {
  return finishReason === 'stop' ? 'tool_calls' : finishReason;
}

/** Returns the content of the history that the model did not write. */
function receivedIn({ messages }: RoundRequest): string[] {
  return messages.flatMap(({ role, content }) => (role === 'tool' || role === 'user' ? (content ?? []) : []));
}

/** Drops deltas of a reply that is not used. */
function hide(): void {}

/** Returns the used reply with the usage of all requests. Null means a refused request. */
function emulated(reply: Reply, asked: (Reply | null)[]): Reply {
  return {
    ...joinRefusals(reply, asked),
    usage: sumRequests(asked.map((each) => each?.usage ?? null)),
    requests: asked.length,
    warnings: [...new Set([...asked.flatMap((each) => each?.warnings ?? []), 'tool calls emulated'])],
  };
}

/** Throws a `ProviderFailed` `tool_choice_violated` if a decision does not match `tool_choice`. */
function enforceChoice(calls: DecidedCall[], choice: ToolChoice): void {
  if (choice === 'auto') return;
  if (choice === 'none') {
    if (calls.length > 0) throw violation(`tool_choice is none, but the model called ${namesOf(calls)}.`);
  } else if (choice === 'required') {
    if (calls.length === 0) throw violation('tool_choice is required, but the model called no tool.');
  } else if (calls.length !== 1 || calls[0]?.name !== choice.name) {
    throw violation(`tool_choice requires one call of "${choice.name}", but the model called ${namesOf(calls)}.`);
  }
}

function violation(what: string): ProviderFailed {
  const message = `${what} Retry the turn, set tool_choice to auto, or choose another model.`;
  return new ProviderFailed('tool_choice_violated', message, { retry: { kind: 'never' } });
}

/** Returns the called names. A model may write any text of any length as a name. */
function namesOf(calls: DecidedCall[]): string {
  const names = calls.map(({ name }) => JSON.stringify(name)).join(', ');
  return cleanText(names.slice(0, 200)) || 'no tool';
}

/** Adds ids to decided calls: `emulated_<unix nanoseconds>_<index>`. */
function nameEmulated(calls: DecidedCall[]): RequestedCall[] {
  const now = BigInt(Date.now()) * 1_000_000n + (process.hrtime.bigint() % 1_000_000n);
  return calls.map((call, index) => ({ id: `emulated_${now}_${index}`, ...call }));
}
