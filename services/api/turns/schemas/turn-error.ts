import { z } from 'zod';

const CODES = [
  'provider_rate_limited',
  'provider_overloaded',
  'provider_unavailable',
  'provider_timeout',
  'provider_bad_response',
  'provider_authentication_failed',
  'provider_permission_denied',
  'provider_model_not_found',
  'model_unsupported_feature',
  'provider_invalid_request',
  'context_length_exceeded',
  'quota_exceeded',
  'tool_choice_violated',
  'output_schema_violated',
  'poison_turn',
  'internal',
];

const ProviderDetails = z.object({
  status: z.int().nullable().describe('The HTTP status of the provider’s answer.'),
  code: z.string().nullable().describe('The provider’s code of the error.'),
  request_id: z.string().nullable().describe('The provider’s id of the request, for its support.'),
});

/** The error of a failed turn, or of a step that Pawl tries again. */
export const TurnError = z
  .object({
    type: z
      .enum(['provider_error', 'tool_choice_error', 'output_schema_error', 'internal_error'])
      .describe('The side that failed: the provider, the model (by its tool calls or its answer), or Pawl.'),
    code: z.string().meta({ enum: CODES, description: 'The code of the error.' }),
    message: z.string().describe('A sentence that states the problem and the next step.'),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    provider: ProviderDetails.optional().describe('The answer of the provider. Null if it did not answer.'),
  })
  .meta({
    id: 'TurnError',
    description: 'The error of a failed turn, or of a step that Pawl tries again.',
    examples: [
      {
        ...{ type: 'provider_error', code: 'provider_overloaded', message: 'openai is overloaded (503).' },
        ...{ retryable: true, provider: { status: 503, code: 'overloaded', request_id: 'req_7f3a' } },
      },
    ],
  });
