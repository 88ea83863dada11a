import type { Tool } from '../../../turn/tool.ts';
import type { ToolChoice } from '../../../turn/turn-request.ts';
import type { RoundRequest } from '../../provider.ts';

/** The instructions with what the model needs to call tools in its text: the syntax, what to do, the tools. */
export function explainTools({ instructions, tools, toolChoice, parallelToolCalls }: RoundRequest): string {
  const explanation = [
    '# Tools',
    '',
    'You can call tools. To call one, write a marker in your reply:',
    '[TOOL_CALL: name] without arguments, or [TOOL_CALL: name {json}] with arguments: one JSON object that fits the',
    'JSON Schema of the tool. A marker inside code is a quotation and calls nothing.',
    constraint(toolChoice),
    ...(parallelToolCalls === false ? ['Write at most one marker in a reply.'] : []),
    'You may say in a few words what you are about to do. End your reply after the markers, and never make results up:',
    'they come in a system message, and then you go on.',
    '',
    'When you receive results: acknowledge them naturally, weave what they say into your answer, never repeat the raw',
    'data, and call further tools only where something is still missing.',
    '',
    'The tools, each with its JSON Schema:',
    ...tools.map(describe),
  ].join('\n');
  return instructions ? `${instructions}\n\n${explanation}` : explanation;
}

function constraint(choice: ToolChoice): string {
  if (choice === 'none') return 'In this reply you must not call any tool.';
  if (choice === 'required') return 'In this reply you must call at least one tool.';
  if (choice === 'auto') return 'Call a tool only where you need it; you may write several markers in one reply.';
  return `In this reply you must call exactly one tool, once: ${choice.name}.`;
}

function describe({ name, description, parameters }: Tool): string {
  return `- ${name}${description ? `: ${description}` : ''}\n  ${JSON.stringify(parameters)}`;
}
