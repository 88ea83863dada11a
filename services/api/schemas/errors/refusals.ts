import { z } from 'zod';
import { errorTypes } from '../../http/errors.ts';
import { rateLimitHeaders, retryAfterHeader, wwwAuthenticateHeader } from '../fields/headers.ts';
import { type ErrorCode, errorCodes, errorExamples } from './error-codes.ts';

type Status = keyof typeof errorTypes;

/** Handlers throw refusals and never return them, so their types need not know of them. */
export type Refusals = Record<never, never>;

/** What any body may be refused for. */
export const ofAnyBody: ErrorCode[] = [
  'invalid_json',
  'json_too_deep',
  'json_too_large',
  'unknown_field',
  'invalid_value',
  'body_too_large',
  'unsupported_media_type',
  'quota_exceeded',
];

/** What a body with fields may be refused for. */
export const ofBody: ErrorCode[] = [...ofAnyBody, 'missing_field', 'invalid_request'];

/** The codes by which a multipart form may be refused, as OpenAI's clients know them. */
export const ofForm: ErrorCode[] = [
  'invalid_form',
  'invalid_value',
  'missing_required_parameter',
  'unknown_parameter',
  'body_too_large',
  'unsupported_media_type',
  'quota_exceeded',
];

/** What the configuration of a turn may be refused for. */
export const ofConfig: ErrorCode[] = [
  'invalid_model',
  'model_not_allowed',
  'provider_not_configured',
  'tools_not_supported',
  'unsupported_parameter',
  'invalid_output_schema',
  'invalid_tool',
  'unknown_tool',
  'unknown_mcp_server',
  'mcp_server_unavailable',
  'unknown_secret',
  'secret_not_allowed',
  'egress_blocked',
];

/** What a create request of a response may be refused for, besides the configuration of its turn. */
export const ofResponseBody: ErrorCode[] = [
  ...ofAnyBody.filter((code) => code !== 'unknown_field'),
  'unknown_parameter',
  'missing_required_parameter',
  'unsupported_parameter',
  'unsupported_value',
  'mutually_exclusive_parameters',
  'background_requires_store',
  'model_not_found',
  'unsupported_tool',
  'mcp_server_not_configured',
  'unsupported_input_item',
  'unsupported_content',
  'invalid_encrypted_content',
];

/** What items for a conversation may be refused for. */
export const ofItems: ErrorCode[] = [
  ...ofAnyBody.filter((code) => code !== 'unknown_field'),
  'unknown_parameter',
  'missing_required_parameter',
  'unsupported_input_item',
  'unsupported_content',
  'invalid_encrypted_content',
  'item_not_found',
  'tool_output_mismatch',
];

/** What a create of a response may be refused for by what it stands on, and as its answer is held. */
export const ofChain: ErrorCode[] = [
  'item_not_found',
  'tool_output_mismatch',
  'approval_already_used',
  'previous_response_not_found',
  'previous_response_not_finished',
  'conversation_not_found',
  'response_not_found',
  'too_many_streams',
  'server_stopping',
];

/** What an Idempotency-Key may be refused for. */
export const ofIdempotencyKey: ErrorCode[] = ['invalid_idempotency_key', 'idempotency_key_reused'];

/** The refusals of a route under `/v1`: those it names, and what every such route may answer. */
export function refusals(...codes: ErrorCode[]): Refusals {
  return keyedRefusals(...codes, 'unknown_field');
}

/** The refusals of a route that needs a key: those it names, and what every such route may answer. */
export function keyedRefusals(...codes: ErrorCode[]): Refusals {
  return openRefusals(...codes, 'invalid_api_key', 'insufficient_scope', 'internal', 'service_unavailable');
}

/** The refusals of any path, given before a route reads the request. */
const ofAnyRequest: ErrorCode[] = [
  'invalid_http',
  'host_not_allowed',
  'origin_not_allowed',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
  'expectation_failed',
  'too_many_connections',
];

/** The refusals of a route that is open to all: those it names, and what every route may answer. */
export function openRefusals(...codes: ErrorCode[]): Refusals {
  const byStatus = Map.groupBy(new Set([...codes, ...ofAnyRequest]), (code) => errorCodes[code].status);
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, refusal(status, those)]));
}

function refusal(status: Status, codes: ErrorCode[]) {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  return {
    description: MEANINGS[status],
    ...(status === 401 && { headers: z.object(wwwAuthenticateHeader) }),
    ...(status === 503 && { headers: z.object(retryAfterHeader) }),
    ...(status === 429 && { headers: z.object({ ...retryAfterHeader, ...rateLimitHeaders }) }),
    content: { 'application/json': { schema: ErrorBody, examples } },
  };
}

const MEANINGS = {
  400: 'A key or a value is not valid.',
  401: 'There is no valid key.',
  403: 'It is not allowed: from there, or to this key.',
  404: 'There is none of that id.',
  405: 'This path has no such method.',
  408: 'The request did not come in time.',
  409: 'It cannot be done as things stand.',
  413: 'The body is too large.',
  415: 'The body does not have the type that this path takes.',
  417: 'What the request expects cannot be done.',
  426: 'The path takes WebSockets only.',
  429: 'Too many requests.',
  431: 'The headers are too large.',
  500: 'Something went wrong on our side.',
  503: 'What it takes is away just now. Try again.',
};

export const ErrorBody = z
  .object({
    error: z
      .object({
        type: z.enum(Object.values(errorTypes)).describe('What kind of error it is; the status says the same.'),
        code: z.enum(Object.keys(errorCodes)).describe('What went wrong, as one word. More may come.'),
        message: z.string().describe('What went wrong and what to do about it, in a sentence.'),
        param: z.string().nullable().describe('The path of the field that is wrong, as in `tools[0].name`.'),
      })
      .describe('The first thing that is wrong.'),
  })
  .meta({
    id: 'Error',
    description: 'What went wrong, and what to do about it.',
    examples: [errorExamples.unknown_field],
  });
