import type { Hosted } from '../hosted/hosted.ts';
import type { AssistantExtras, Message, OpaqueState, RequestedCall } from '../message.ts';
import type { Part } from '../request/item.ts';
import { answerText, approvedNote, deniedResult, errorResult, type ToolResult } from '../tool-result.ts';
import type { Round, ToolCall } from '../turn.ts';

/** The answer to a call, as the model receives it. */
export type Answer = { content: string; isError: boolean; parts?: Part[] };

/** A message of the assistant, with the answers to its calls so far, in the order of the calls. */
export type Exchange = {
  content: string | null;
  calls: RequestedCall[];
  answers: (Answer | null)[];
  opaque: OpaqueState | null;
  /** Calls of hosted tools and images of the reply. Absent if there are none. */
  hosted?: Hosted | null;
};

/**
 * Returns the answer to a call of a round with a note about changed arguments (R39). Null if the call is open or was
 * handed over.
 */
export function answerOfCall({ result, approval }: ToolCall): Answer | null {
  if (!result || result.status === 'handed_over') return null;
  const answer = answerOf(result);
  return approval?.arguments === undefined ? answer : withNote(answer, approvedNote(approval.arguments));
}

function withNote({ content, isError, parts }: Answer, note: string): Answer {
  const withParts = parts && { parts: [{ type: 'input_text' as const, text: note }, ...parts] };
  return { content: `${note}\n${content}`, isError, ...withParts };
}

/** Returns a result as the model receives it. */
export function answerOf(result: ToolResult): Answer {
  const { parts } = result;
  return { content: answerText(result), isError: result.status === 'error', ...(parts && { parts }) };
}

/** The answer to an approval request that the next input did not answer: the request counts as denied. */
export const UNANSWERED = answerOf(deniedResult('it was not allowed before the conversation went on'));

/** The result of a call that was not run. */
export const CANCELLED = errorResult({ category: 'cancelled', message: 'The call was not run.', details: {} });

/** Returns the message with its calls, and the answer to each call. A call without an answer was cancelled. */
export function exchangeMessages({ content, calls, answers, opaque, hosted }: Exchange): Message[] {
  return [
    { role: 'assistant', content, calls, ...(opaque ? { opaque } : {}), ...(hosted ? hostedFields(hosted) : {}) },
    ...calls.map(({ id, name }, index): Message => {
      const answer = answers[index] ?? answerOf(CANCELLED);
      return { role: 'tool', callId: id, name, ...answer };
    }),
  ];
}

function hostedFields({ calls, images }: Hosted): Pick<AssistantExtras, 'hosted' | 'parts'> {
  const parts = images.map(({ url }): Part => ({ type: 'input_image', image_url: url }));
  return { ...(calls.length > 0 ? { hosted: calls } : {}), ...(parts.length > 0 ? { parts } : {}) };
}

/** Returns the opaque data that the provider of a round requires back. */
export function opaqueOf({ model, opaque }: Round): OpaqueState | null {
  if (opaque === null || opaque === undefined) return null;
  return { provider: model.slice(0, model.indexOf('/')), state: opaque };
}
