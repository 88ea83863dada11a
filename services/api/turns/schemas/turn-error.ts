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
  status: z.int().nullable().describe('The HTTP status it answered with.'),
  code: z.string().nullable().describe('Its own word for what went wrong.'),
  request_id: z.string().nullable().describe('What it calls the request, for its support.'),
});

/** Why a turn failed, or why a step is tried again. */
export const TurnError = z
  .object({
    type: z
      .enum(['provider_error', 'tool_choice_error', 'output_schema_error', 'internal_error'])
      .describe('Who failed: the provider, the model with its choice of tools or with its answer, or Pawl.'),
    code: z.string().meta({ enum: CODES, description: 'What went wrong, as one word.' }),
    message: z.string().describe('What went wrong and what to do about it, in a sentence.'),
    retryable: z.boolean().describe('Whether the same request may well succeed later.'),
    provider: ProviderDetails.optional().describe('What the provider answered, where it did.'),
  })
  .meta({
    id: 'TurnError',
    description: 'Why a turn failed, or why a step is tried again.',
    examples: [
      {
        ...{ type: 'provider_error', code: 'provider_overloaded', message: 'openai is overloaded (503).' },
        ...{ retryable: true, provider: { status: 503, code: 'overloaded', request_id: 'req_7f3a' } },
      },
    ],
  });
