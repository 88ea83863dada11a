import type { ToolChoice } from '../../../turn/config/tool-choice.ts';
import type { Tool } from '../../../turn/request/tool.ts';
import type { RoundRequest } from '../../provider.ts';

/** Options of any wire that set the answer's form or a system prompt. */
const ANSWER_FIELDS = [
  'response_format',
  'output_format',
  'format',
  'responseSchema',
  'responseJsonSchema',
  'responseMimeType',
  'system',
  'systemInstruction',
];

/**
 * Returns the request for a decision about tools: without tools on the wire, and with one system message that asks
 * for JSON only.
 */
export function decisionRequest(request: RoundRequest): RoundRequest {
  const plain = answerRequest(request);
  return {
    ...plain,
    instructions: explainDecision(request),
    messages: request.messages.filter(({ role }) => role !== 'system'),
    stop: null,
    textFormat: null,
    providerOptions: withoutFields(plain.providerOptions, ANSWER_FIELDS),
    requestId: `${request.requestId}d`,
  };
}

/** Options of any wire that may have tools of a provider (`provider_options`). */
const TOOL_FIELDS = ['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call', 'toolConfig'];

/** Returns the request without tools, even declared tools, which asks for the answer if the model wants no tool. */
export function answerRequest(request: RoundRequest): RoundRequest {
  return {
    ...request,
    tools: [],
    declaredTools: null,
    toolChoice: 'auto',
    parallelToolCalls: null,
    providerOptions: withoutFields(request.providerOptions, TOOL_FIELDS),
    requestId: `${request.requestId}a`,
  };
}

function explainDecision({ tools, toolChoice, parallelToolCalls }: RoundRequest): string {
  return [
    'Decide which tools are called next in this conversation. Do not answer it: your reply is read by a program.',
    '',
    'Reply with one JSON object and nothing else, no prose and no code fence:',
    '{"tools":[{"tool":"name of the tool","arguments":{}}]}',
    'One entry for each call, with "arguments" that fit the JSON Schema of the tool. To call nothing: {"tools":[]}',
    '',
    constraint(toolChoice),
    ...(parallelToolCalls === false ? ['Call at most one tool.'] : []),
    'Do not repeat a call whose result is in the conversation already.',
    '',
    'The tools, one on each line:',
    ...tools.map(describe),
  ].join('\n');
}

function constraint(choice: ToolChoice): string {
  if (choice === 'none') return 'You must not call any tool.';
  if (choice === 'required') return 'You must call at least one tool.';
  if (choice === 'auto') return 'Call a tool only where it is needed.';
  return `You must call exactly one tool, once: ${JSON.stringify(choice.name)}.`;
}

function describe({ name, description, parameters }: Tool): string {
  return JSON.stringify({ name, ...(description ? { description } : {}), parameters });
}

/** Returns provider options without some fields, at the top and in their objects. */
function withoutFields(options: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  const kept = Object.entries(options).filter(([name]) => !fields.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutOwn(value, fields)]));
}

function withoutOwn(value: unknown, fields: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !fields.includes(name)));
}
