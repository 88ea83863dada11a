import type { Act, Call } from './act.ts';
import type { Asked } from './asked.ts';
import type { ChatRequest, OfferedTool } from './chat-request.ts';
import { type CurrentTurn, resultsText } from './current-turn.ts';
import { estimateUsage } from './estimate-usage.ts';
import { exampleArguments } from './example-arguments.ts';

const PACE = { thinkMs: 0, paceMs: 0, pieceChars: 24, interleave: false };
const QUOTED_CHARS = 1000;

/** Without a script: calls every tool it may once, then answers with the user's words and the tools' results. */
export function improvise({ body, bodyLength }: Asked, turn: CurrentTurn): Act {
  const tools = toolsToCall(body, turn);
  const reply = tools.length
    ? {
        text: `Let me use ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}.`,
        calls: tools.map((tool, index) => callOf(tool, `call_${turn.number}_${turn.since.length}_${index}`)),
        reasoning: '',
        finishReason: 'tool_calls',
      }
    : { text: answerTo(turn), calls: [], reasoning: '', finishReason: 'stop' };
  return { kind: 'reply', reply: { ...reply, usage: estimateUsage(bodyLength, reply) }, pace: PACE, flaw: null };
}

function toolsToCall(
  { tools, tool_choice: choice, parallel_tool_calls }: ChatRequest,
  turn: CurrentTurn,
): OfferedTool[] {
  if (!tools?.length || choice === 'none') return [];
  if (typeof choice === 'object' && choice) return tools.filter((tool) => tool.function.name === choice.function.name);
  const hasResults = turn.since.some((message) => message.role === 'tool');
  if (hasResults && choice !== 'required') return [];
  return parallel_tool_calls === false ? tools.slice(0, 1) : tools;
}

function callOf(tool: OfferedTool, id: string): Call {
  const args = exampleArguments(tool.function.parameters ?? {});
  return { id, name: tool.function.name, arguments: JSON.stringify(args) };
}

function answerTo(turn: CurrentTurn): string {
  const results = resultsText(turn);
  const heard = `You said: "${quoted(turn.words)}".`;
  return results ? `${heard} The tools answered: ${quoted(results)}` : heard;
}

function quoted(text: string): string {
  return text.length > QUOTED_CHARS ? `${text.slice(0, QUOTED_CHARS)}…` : text;
}
