import { parseJson } from '../../../json.ts';
import { mergeHeaders } from '../../http/merge-headers.ts';
import { type OpenedReply, openReply, type Refusal } from '../../http/open-reply.ts';
import { type OpenaiServer, reachOpenai } from '../../http/openai-server.ts';
import type { KeptResponses, ResponseState, RoundRequest } from '../../provider.ts';
import { type Fields, fieldsIn, indexIn, wordIn } from '../../reply/fields.ts';
import { tierField } from '../../reply/served-by.ts';
import { readUsage } from '../finish-reply.ts';
import { INCLUDED, includeOf, learnInclude } from '../include.ts';

/** A request about a kept response. The stream begins after the event `after`, or at its start. */
export type ResponseCall = {
  id: string;
  kind: 'read' | 'stream' | 'cancel' | 'delete';
  after?: number | null;
  /** The request of the round. Its own headers are sent too, and the same values of its reply are included. */
  request?: Pick<RoundRequest, 'headers' | 'hostedTools' | 'providerOptions'>;
  signal: AbortSignal;
};

/** Sends a request about a kept response. Rejects as `openReply` does. */
export type OpenResponse = (call: ResponseCall) => Promise<OpenedReply | Refusal>;

const METHODS = { read: 'GET', stream: 'GET', cancel: 'POST', delete: 'DELETE' } as const;

/**
 * Returns how to send requests about the responses that a server keeps. Reads include the same values as the request
 * of the round. They leave out the values that the server refuses.
 */
export function openResponsesOf(server: OpenaiServer): OpenResponse {
  let supported = INCLUDED;
  const send = async ({ id, kind, after = null, request, signal }: ResponseCall, include: readonly string[]) => {
    const { urlOf, key } = reachOpenai(server);
    const path = `/responses/${encodeURIComponent(id)}${kind === 'cancel' ? '/cancel' : ''}`;
    const url = new URL(await urlOf(path));
    if (kind === 'stream') url.searchParams.set('stream', 'true');
    if (after !== null) url.searchParams.set('starting_after', String(after));
    const included = METHODS[kind] === 'GET' ? includeOf(request ?? {}, include) : null;
    for (const name of included ?? []) url.searchParams.append('include[]', name);
    const headers = mergeHeaders(key, server, request);
    return await openReply(server.post, { url: url.href, headers, body: '', method: METHODS[kind], signal });
  };
  return async (call) => {
    for (let include = supported; ; include = supported) {
      const opened = await send(call, include);
      const left = supportedAfter(opened, include);
      if (left === null) return opened;
      supported = supported.filter((name) => left.includes(name));
    }
  };
}

/** Returns the values of `include` that a server still supports after its answer, or null if it refuses none. */
function supportedAfter(opened: OpenedReply | Refusal, include: readonly string[]): readonly string[] | null {
  if (opened.kind !== 'refused' || opened.status !== 400 || include.length === 0) return null;
  return learnInclude(opened.text, include) ?? (/include|encrypted/i.test(opened.text) ? [] : null);
}

/** The models that a server is asked in the background, by patterns with `*` anywhere. */
export type BackgroundSetting = { models: readonly string[]; isStored: boolean };

const OFF: BackgroundSetting = { models: [], isStored: true };

/** Returns the responses that a server keeps, for other uses than a round. */
export function keptResponses(open: OpenResponse, setting: BackgroundSetting = OFF): KeptResponses {
  const patterns = setting.models.map(globOf);
  const ask = async (call: ResponseCall): Promise<OpenedReply | Refusal | null> => {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(LONGEST_ANSWER_MS)]);
    try {
      return await open({ ...call, signal });
    } catch {
      call.signal.throwIfAborted();
      return null;
    }
  };
  const stateBy = async (call: ResponseCall): Promise<ResponseState> => stateOf(await ask(call));
  return {
    isOn: patterns.length > 0,
    isStored: setting.isStored,
    isUsedFor: (model) => patterns.some((pattern) => pattern.test(model)),
    read: (id, signal) => stateBy({ id, kind: 'read', signal }),
    cancel: (id, signal) => stateBy({ id, kind: 'cancel', signal }),
    remove: async (id, signal) => {
      const opened = await ask({ id, kind: 'delete', signal });
      return opened !== null && (opened.kind !== 'refused' || opened.status === 404);
    },
  };
}

/** The longest time of an answer about a response. */
const LONGEST_ANSWER_MS = 20_000;

function globOf(pattern: string): RegExp {
  const literal = (text: string) => text.replace(/[^\w]/g, '\\$&');
  return new RegExp(`^${pattern.split('*').map(literal).join('.*')}$`);
}

const UNFINISHED = ['queued', 'in_progress'];
const REPLIES = ['completed', 'incomplete'];

/** Statuses of a server that may answer later. */
const LATER = [408, 409, 425, 429];

/** Returns the state of a response by an answer about it. Null is no usable answer. */
export function stateOf(opened: OpenedReply | Refusal | null): ResponseState {
  if (opened?.kind === 'refused') return { kind: stateByStatus(opened.status) };
  const response = opened?.kind === 'whole' ? fieldsIn(parseJson(opened.text)) : null;
  const status = wordIn(response?.status);
  if (!opened || !response || !status) return { kind: 'away' };
  if (UNFINISHED.includes(status)) {
    const pollAfterMs = indexIn(opened.headers.get('openai-poll-after-ms'));
    return { kind: 'running', isQueued: status === 'queued', pollAfterMs };
  }
  return { kind: 'ended', isReply: REPLIES.includes(status), ...usedBy(response) };
}

function stateByStatus(status: number): 'lost' | 'away' | 'refused' {
  if (status === 404) return 'lost';
  return status >= 500 || LATER.includes(status) ? 'away' : 'refused';
}

function usedBy(response: Fields) {
  return { usage: readUsage(fieldsIn(response.usage)), ...tierField(wordIn(response.service_tier)) };
}
