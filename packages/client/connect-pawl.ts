import { agentsOf } from './agents/agents.ts';
import { bulkOf } from './bulk.ts';
import { conversationsOf } from './conversations.ts';
import { type ApiRequest, makeExchange, type Refusal } from './exchange.ts';
import type * as api from './pawl.ts';
import { readBaseUrl } from './read-base-url.ts';
import { requestJson } from './request-json.ts';
import { schedulesOf } from './schedules/schedules.ts';
import { turnsOf } from './turns.ts';

// The types that users of the package name. `pawl.ts` describes them.
export type Turn = api.Turn;
export type ListedTurn = api.ListedTurn;
export type EndedTurn = api.EndedTurn;
export type TurnRequest = api.TurnRequest;
export type ForkRequest = api.ForkRequest;
export type RerunRequest = api.RerunRequest;
export type InputPart = api.InputPart;
export type Conversation = api.Conversation;
export type Worker = api.Worker;
export type Statistics = api.Statistics;
export type StatisticsRange = api.StatisticsRange;
export type Queue = api.Queue;
export type Batch = api.Batch;
export type WaitingRounds = api.WaitingRounds;
export type BatchPage = api.BatchPage;
export type ConversationRequest = api.ConversationRequest;
export type ConversationChanges = api.ConversationChanges;
export type TurnEvent = api.TurnEvent;
export type ToolOutput = api.ToolOutput;
export type PawlOptions = api.PawlOptions;
export type CallOptions = api.CallOptions;
export type StartOptions = api.StartOptions;
export type EventOptions = api.EventOptions;
export type ListOptions = api.ListOptions;
export type SearchFilter = api.SearchFilter;
export type TurnFilter = api.TurnFilter;
export type ReadOptions = api.ReadOptions;
export type ApproveOptions = api.ApproveOptions;
export type InputOptions = api.InputOptions;
export type TurnConfig = api.TurnConfig;
export type Pawl = api.Pawl;
export type Turns = api.Turns;
export type TurnHandle = api.TurnHandle;
export type StartedTurn = api.StartedTurn;
export type Conversations = api.Conversations;
export type ConversationHandle = api.ConversationHandle;
export type Bulk = api.Bulk;
export type BulkRequest = api.BulkRequest;
export type Bulks = api.Bulks;
export type Schedule = api.Schedule;
export type ScheduleRequest = api.ScheduleRequest;
export type ScheduleChange = api.ScheduleChange;
export type Schedules = api.Schedules;
export type Agent = api.Agent;
export type AgentRequest = api.AgentRequest;
export type AgentChanges = api.AgentChanges;
export type AgentLabel = api.AgentLabel;
export type ReadAgentOptions = api.ReadAgentOptions;
export type Agents = api.Agents;
export type Usage = api.Usage;
export type UsageQuery = api.UsageQuery;
export type UsageRow = api.UsageRow;

/** Connects to Pawl without sending a request. Throws PawlError for a malformed `baseUrl`. Calls throw it too. */
export function connectPawl({ baseUrl = 'http://127.0.0.1:8080', patienceMs, ...access }: PawlOptions = {}): Pawl {
  const base = readBaseUrl(baseUrl);
  if ('problem' in base) throw new PawlError(unusable(base.problem));
  const exchange = makeExchange({ ...access, baseUrl: base.url, fail: (refusal) => new PawlError(refusal) });
  const api = { exchange, patienceMs };
  const listAt = async <Item>(request: Pick<ApiRequest, 'path' | 'query'>, options?: CallOptions) =>
    (await requestJson<{ data: Item[] }>(api, request, options)).data;
  return {
    turns: turnsOf(api),
    conversations: conversationsOf(api),
    bulk: bulkOf(api),
    schedules: schedulesOf(api),
    agents: agentsOf(api),
    usage: {
      get: ({ from, to, groupBy, ...options } = {}) =>
        listAt<UsageRow>({ path: '/v1/usage', query: { from, to, group_by: groupBy?.join(',') } }, options),
    },
    statistics: (range = {}, options = {}) => requestJson(api, { path: '/v1/statistics', query: range }, options),
    workers: (options) => listAt({ path: '/v1/workers' }, options),
    queues: (options) => listAt({ path: '/v1/queues' }, options),
    batches: ({ cursor, limit, ...options } = {}) =>
      requestJson(api, { path: '/v1/batches', query: { cursor, limit } }, options),
    request: (method, path, body, options) =>
      requestJson(api, { method, path, body }, { ...(method === 'POST' && { patienceMs: 0 }), ...options }),
  };
}

/** Returns bytes as a part of a message or result: an image, MP3 or WAV audio, or else a file. */
export function partOf(
  bytes: Uint8Array,
  { mediaType, filename }: { mediaType: string; filename?: string },
): InputPart {
  const base64 = base64Of(bytes);
  const [, format] = /^audio\/(?:x-)?(mp3|mpeg|wav)$/.exec(mediaType) ?? [];
  if (format) return { type: 'input_audio', data: base64, format: format === 'wav' ? 'wav' : 'mp3' };
  const url = `data:${mediaType};base64,${base64}`;
  if (mediaType.startsWith('image/')) return { type: 'input_image', image_url: url };
  return { type: 'input_file', file_data: url, ...(filename !== undefined && { filename }) };
}

/** Encodes in slices, since an argument list is bounded. `btoa` takes a text with one character per byte. */
function base64Of(bytes: Uint8Array): string {
  const SOME = 8_192;
  let text = '';
  for (let at = 0; at < bytes.length; at += SOME) text += String.fromCharCode(...bytes.subarray(at, at + SOME));
  return btoa(text);
}

function unusable(message: string): Refusal {
  const never = { status: null, retryable: false, retryAfterMs: null };
  return { ...never, type: 'invalid_request_error', code: 'invalid_base_url', message, param: 'baseUrl' };
}

/** Why a call failed: the server refused it or never answered. The message says what to do. */
export class PawlError extends Error {
  override readonly name = 'PawlError';
  /** The HTTP status, or null if the server did not answer. */
  readonly status: number | null;
  readonly type: string;
  readonly code: string;
  /** The invalid field of the request. */
  readonly param: string | null;
  /** Whether the same call may succeed later. */
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;

  constructor({ status, type, code, message, param, retryable, retryAfterMs, cause }: Refusal) {
    super(message, { cause });
    this.status = status;
    this.type = type;
    this.code = code;
    this.param = param;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}
