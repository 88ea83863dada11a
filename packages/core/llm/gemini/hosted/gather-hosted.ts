import { REPLY_BOUNDS } from '../../../bounds/reply-bounds.ts';
import { shorten } from '../../../text.ts';
import type { HostedCall } from '../../../turn/hosted/hosted.ts';
import type { HostedType } from '../../../turn/hosted/hosted-tool.ts';
import type { Delta } from '../../provider.ts';
import { type Fields, fieldsIn, textIn, wordIn } from '../../reply/fields.ts';
import { boundReply } from '../../unusable-reply.ts';

/** The end of a call. `error` is null unless the call failed. */
type End = { type: HostedType; id: string | null; output: string; error: string | null };

/**
 * Adds a part of Gemini's own tools to the calls, and returns the delta of the call that it starts or ends. `offset` is
 * the length of the text before the part.
 */
export function gatherHosted(calls: HostedCall[], part: Fields, offset: number): Delta[] {
  const started = callIn(part, calls);
  if (started) return [hostedDelta(addCall(calls, { ...started, offset }))];
  const end = endIn(part);
  return end ? [hostedDelta(endCall(calls, end, offset))] : [];
}

/** Returns the delta of a call. */
export function hostedDelta({ offset: _, ...call }: HostedCall): Delta {
  return { kind: 'hosted-call', text: '', call };
}

/** Returns the id of the next call of a type without an id of Gemini, such as `code_1`. */
export function nextHostedId(calls: readonly { type: HostedType }[], type: HostedType): string {
  return `${NOUNS[type]}_${calls.filter((call) => call.type === type).length + 1}`;
}

const NOUNS: Record<HostedType, string> = {
  web_search: 'search',
  web_fetch: 'fetch',
  code_execution: 'code',
  file_search: 'file_search',
  image_generation: 'image',
};

/** Pawl's types of the calls that Gemini shows beside functions. Calls of other types are only sent back. */
const TYPES = new Map<string, HostedType>([
  ['GOOGLE_SEARCH_WEB', 'web_search'],
  ['GOOGLE_SEARCH_IMAGE', 'web_search'],
  ['URL_CONTEXT', 'web_fetch'],
  ['FILE_SEARCH', 'file_search'],
]);

function callIn({ executableCode, toolCall }: Fields, calls: HostedCall[]): Omit<HostedCall, 'offset'> | null {
  const open = { status: 'in_progress', output: null, error: null } as const;
  const code = fieldsIn(executableCode);
  if (code) {
    const type = 'code_execution';
    const input = { language: textIn(code.language) ?? 'PYTHON', code: textIn(code.code) ?? '' };
    return { id: wordIn(code.id) || nextHostedId(calls, type), type, input, ...open };
  }
  const call = fieldsIn(toolCall);
  const type = TYPES.get(wordIn(call?.toolType) ?? '');
  if (!call || !type) return null;
  return { id: wordIn(call.id) || nextHostedId(calls, type), type, input: fieldsIn(call.args), ...open };
}

function endIn({ codeExecutionResult, toolResponse }: Fields): End | null {
  const result = fieldsIn(codeExecutionResult);
  if (result) {
    const output = textIn(result.output) ?? '';
    const error = codeError(wordIn(result.outcome) ?? '', output);
    return { type: 'code_execution', id: wordIn(result.id), output, error };
  }
  const answer = fieldsIn(toolResponse);
  const type = TYPES.get(wordIn(answer?.toolType) ?? '');
  if (!answer || !type) return null;
  const response = fieldsIn(answer.response) ?? {};
  return { type, id: wordIn(answer.id), output: JSON.stringify(response), error: fetchError(response) };
}

/** Returns why code failed: the last line of its output, which names the exception. Null unless the code failed. */
function codeError(outcome: string, output: string): string | null {
  if (outcome === '' || outcome === 'OUTCOME_OK') return null;
  if (outcome === 'OUTCOME_DEADLINE_EXCEEDED') return 'The code ran for too long.';
  return shorten(output.trim().split('\n').at(-1)?.trim() || outcome, 500);
}

/** Returns the status of the first page if no page was fetched, or null. The tool writes its response in snake case. */
function fetchError({ urls_metadata: pages, url_metadata: other = pages }: Fields): string | null {
  if (!Array.isArray(other)) return null;
  const statuses = other.flatMap((page) => wordIn(fieldsIn(page)?.url_retrieval_status) ?? []);
  return statuses.every(failsFetch) ? (statuses[0] ?? null) : null;
}

/** Returns whether a status of a fetched page is a failure. */
export function failsFetch(status: string): boolean {
  return !/SUCCESS$|UNSPECIFIED$/.test(status);
}

function addCall(calls: HostedCall[], call: HostedCall): HostedCall {
  boundReply(calls.push(call), REPLY_BOUNDS.calls, 'calls of hosted tools');
  return call;
}

/** Ends the open call of an id, or the first open call of the type. Another result of an ended call is added to it. */
function endCall(calls: HostedCall[], end: End, offset: number): HostedCall {
  const { type, id, output, error } = end;
  const ofType = calls.filter((call) => call.type === type);
  const open = ofType.find(({ status }) => status === 'in_progress');
  const call =
    (id && ofType.find((each) => each.id === id)) || open || ofType.at(-1) || addCall(calls, blank(end, offset));
  call.output = call.output === null ? output : `${call.output}\n${output}`;
  call.error = error ?? call.error;
  call.status = call.error === null ? 'completed' : 'failed';
  return call;

  function blank(unknown: End, at: number): HostedCall {
    const own = unknown.id || nextHostedId(calls, type);
    return { id: own, type, status: 'in_progress', input: null, output: null, error: null, offset: at };
  }
}
