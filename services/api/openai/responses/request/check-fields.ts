import { RequestRefused } from '#core/failure.ts';
import { type Capabilities, type Provider as CoreProvider, isOpenaiWire } from '#core/llm/provider.ts';
import { unsupportedParameter } from '#core/llm/unsupported-parameter.ts';
import { quote } from '#core/text.ts';
import type { ResponseBody } from '../response-body.ts';
import { passedTier } from './wire-options.ts';

/** Refuses fields that Pawl passes on to no provider. Pawl never drops a field that changes the answer. */
export function checkFields(body: ResponseBody): void {
  if (body.previous_response_id && body.conversation) {
    const message = 'Give previous_response_id or conversation, not both.';
    throw new RequestRefused(400, 'mutually_exclusive_parameters', message, 'previous_response_id');
  }
  if (body.background && body.store === false) {
    const message =
      '`background` requires `store`, so that the response can be retrieved. Leave out `store` or `background`.';
    throw new RequestRefused(400, 'background_requires_store', message, 'background');
  }
  if (body.service_tier === 'batch' && !body.background) {
    const message =
      '`service_tier` "batch" requires `background: true`, because a batch can take hours. Set `background` to true, ' +
      'or choose another `service_tier`.';
    throw new RequestRefused(400, 'unsupported_parameter', message, 'service_tier');
  }
  if (body.truncation && !TRUNCATIONS.includes(body.truncation)) {
    const message = `truncation ${quote(body.truncation)} is not supported. Give "auto" or "disabled".`;
    throw new RequestRefused(400, 'unsupported_value', message, 'truncation');
  }
  for (const [at, value] of (body.include ?? []).entries()) checkInclude(value, `include[${at}]`);
}

const TRUNCATIONS = ['auto', 'disabled'];

/** The supported values of `include`. The values of inputs and of computers add no fields. */
const INCLUDES = [
  'reasoning.encrypted_content',
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
];

function checkInclude(value: string, param: string): void {
  if (INCLUDES.includes(value)) return;
  if (value === 'message.output_text.logprobs') {
    const message = 'Log probabilities are never part of the output. Leave this value out.';
    throw new RequestRefused(400, 'unsupported_value', message, param);
  }
  const message = `Unknown value for \`include\`: ${quote(value)}. Use one of ${INCLUDES.join(', ')}.`;
  throw new RequestRefused(400, 'invalid_value', message, param);
}

type Provider = Pick<CoreProvider, 'name' | 'reasoningEfforts'> & {
  capabilities: Capabilities & { structured_outputs?: boolean };
};

/** Refuses fields that the provider's wire does not have. Neutral values are always accepted. */
export function checkWire(body: ResponseBody, provider: Provider): void {
  checkEffort(body, provider);
  const { name, capabilities } = provider;
  const format = body.text?.format?.type;
  const { wire, structured_outputs: fitsSchemas = true } = capabilities;
  const lacks = [
    ...(format === 'json_schema' && !fitsSchemas ? ['text.format'] : []),
    ...(format === 'json_object' && wire === 'anthropic' ? ['text.format'] : []),
    ...(wire === 'openai' ? [] : onlyOnChat(body)),
    ...(isOpenaiWire(wire) ? [] : onlyOnOpenai(body)),
  ];
  const [field] = lacks;
  if (!field) return;
  const message = `\`${field}\` with this value is not supported by ${name}. Leave it out, or use another model.`;
  throw new RequestRefused(400, 'unsupported_parameter', message, field);
}

function checkEffort({ reasoning }: ResponseBody, provider: Provider): void {
  const problem = unsupportedParameter(provider, { reasoning_effort: reasoning?.effort });
  if (problem) throw new RequestRefused(400, 'unsupported_value', problem.message, problem.param);
}

function onlyOnChat(body: ResponseBody): string[] {
  const fields = ['presence_penalty', 'frequency_penalty', 'top_logprobs'] as const;
  return fields.filter((field) => body[field]);
}

function onlyOnOpenai(body: ResponseBody): string[] {
  const { verbosity } = body.text ?? {};
  return [
    ...(verbosity && verbosity !== 'medium' ? ['text.verbosity'] : []),
    ...(passedTier(body) === null ? [] : ['service_tier']),
  ];
}
