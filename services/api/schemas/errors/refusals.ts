import { z } from 'zod';
import { errorTypes } from '../../http/errors.ts';
import { rateLimitHeaders, retryAfterHeader, wwwAuthenticateHeader } from '../fields/headers.ts';
import { type ErrorCode, errorCodes, errorExamples } from './error-codes.ts';

type Status = keyof typeof errorTypes;

/** Handlers throw refusals and never return them, so their types do not include refusals. */
export type Refusals = Record<never, never>;

/** The codes with which any body may be refused. */
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

/** The codes with which a body with fields may be refused. */
export const ofBody: ErrorCode[] = [...ofAnyBody, 'missing_field', 'invalid_request'];

/** The codes with which a multipart form may be refused, as OpenAI's clients know them. */
export const ofForm: ErrorCode[] = [
  'invalid_form',
  'invalid_value',
  'missing_required_parameter',
  'unknown_parameter',
  'body_too_large',
  'unsupported_media_type',
  'quota_exceeded',
];

/** The codes with which a request is refused if its key or project has `allowed_agents`. */
export const ofAllowedAgents: ErrorCode[] = ['agent_not_allowed', 'agent_override_not_allowed'];

/** The codes with which the configuration of a turn may be refused. */
export const ofConfig: ErrorCode[] = [
  'agent_not_found',
  ...ofAllowedAgents,
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

/** The codes with which a create request of a response may be refused, besides the configuration of its turn. */
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

/** The codes with which items for a conversation may be refused. */
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

/** The codes with which a create of a response may be refused because of its base, or because its answer is held. */
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

/** The codes with which an Idempotency-Key may be refused. */
export const ofIdempotencyKey: ErrorCode[] = ['invalid_idempotency_key', 'idempotency_key_reused'];

/** Returns the refusals of a route under `/v1`: the named codes, and the codes of every such route. */
export function refusals(...codes: ErrorCode[]): Refusals {
  return keyedRefusals(...codes, 'unknown_field');
}

/** Returns the refusals of a route that needs a key: the named codes, and the codes of every such route. */
export function keyedRefusals(...codes: ErrorCode[]): Refusals {
  return openRefusals(...codes, 'invalid_api_key', 'insufficient_scope', 'internal', 'service_unavailable');
}

/** The refusals of any path, sent before a route reads the request. */
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

/** Returns the refusals of a route that is open to all: the named codes, and the codes of every route. */
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
  401: 'The request has no valid key.',
  403: 'The origin of the request, or its key, has no permission.',
  404: 'The resource was not found.',
  405: 'This path does not have this method.',
  408: 'The request did not arrive in time.',
  409: 'The current state does not allow the request.',
  413: 'The body is too large.',
  415: 'The path does not accept the content type of the body.',
  417: 'An expectation of the request cannot be met.',
  426: 'The path accepts WebSockets only.',
  429: 'Too many requests.',
  431: 'The headers are too large.',
  500: 'Pawl failed unexpectedly.',
  503: 'A required component is unavailable. Try again.',
};

export const ErrorBody = z
  .object({
    error: z
      .object({
        type: z.enum(Object.values(errorTypes)).describe('The kind of error. It corresponds to the status.'),
        code: z.enum(Object.keys(errorCodes)).describe('The code of the error. New codes may be added.'),
        message: z.string().describe('A sentence that states the problem and the next step.'),
        param: z.string().nullable().describe('The path of the wrong field, as in `tools[0].name`.'),
      })
      .describe('The first problem of the request.'),
  })
  .meta({
    id: 'Error',
    description: 'An error: the problem, and the next step.',
    examples: [errorExamples.unknown_field],
  });
