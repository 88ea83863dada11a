import { RequestRefused } from '#core/failure.ts';
import type { CompletionBody } from '../completion-body.ts';

/** Refuses the fields of Chat Completions that Pawl does not have (contract-responses R88), and fields that exclude others. */
export function checkCompletion(body: CompletionBody): void {
  for (const [param, reason] of unsupportedValues(body)) {
    throw new RequestRefused(400, 'unsupported_value', `${param} ${reason}`, param);
  }
  const unsupported = NEVER_SHOWN.find((field) => body[field]);
  if (unsupported) {
    const message = `${unsupported} is not supported: log probabilities are never shown. Leave it out.`;
    throw new RequestRefused(400, 'unsupported_parameter', message, unsupported);
  }
  refuseBoth(body, 'max_tokens', 'max_completion_tokens');
  refuseBoth(body, 'functions', 'tools');
  refuseBoth(body, 'function_call', 'tool_choice');
  if (body.stream_options && !body.stream) {
    const message = 'stream_options is only allowed with stream: true. Leave it out, or ask for a stream.';
    throw new RequestRefused(400, 'invalid_value', message, 'stream_options');
  }
}

/** Fields that are refused unless they are null or neutral: log probabilities are never shown. */
const NEVER_SHOWN = ['logprobs', 'top_logprobs'] as const;

function unsupportedValues({ n, modalities, service_tier }: CompletionBody): [string, string][] {
  const problems: [string, string, boolean][] = [
    ['n', 'must be 1. Send a request for each answer.', (n ?? 1) > 1],
    ['modalities', 'has a form other than text. Ask for text.', modalities?.some((name) => name !== 'text') ?? false],
    [
      'service_tier',
      'cannot be batch: the client waits for the completion. Use POST /v1/responses with background: true.',
      service_tier === 'batch',
    ],
  ];
  return problems.flatMap(([param, reason, isProblem]) => (isProblem ? [[param, reason] as [string, string]] : []));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function refuseBoth(body: CompletionBody, older: keyof CompletionBody, newer: keyof CompletionBody): void {
  if (!isGiven(body[older]) || !isGiven(body[newer])) return;
  const message = `${older} is the older name of ${newer}. Give one of them.`;
  throw new RequestRefused(400, 'mutually_exclusive_parameters', message, older);
}
