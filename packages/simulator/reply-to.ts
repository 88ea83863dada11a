import type { ChatAttempt, ChatRequest, OfferedTool } from './chat-request.ts';
import { type CurrentTurn, currentTurn, resultsText } from './current-turn.ts';
import { refuse } from './error-body.ts';
import { estimateUsage } from './estimate-usage.ts';
import { exampleAnswer, exampleArguments } from './example-answer.ts';
import { playScript, scriptedBatch } from './play-script.ts';
import type { Call, SimulatedResponse } from './reply.ts';
import { findScript, type ScriptedBatch } from './script.ts';
import { isSummaryRequest, summaryOf } from './summary-request.ts';

/** Decides the response from the request alone, so that equal requests get equal responses. */
export function replyTo(attempt: ChatAttempt): SimulatedResponse {
  const turn = currentTurn(attempt.body.messages);
  const found = findScript(turn.input);
  switch (found.kind) {
    case 'none':
      return replyUnscripted(attempt, turn);
    case 'script':
      return playScript(found.script, attempt, turn);
    case 'broken': {
      const { param, message } = found;
      return refuse({ code: 'invalid_script', message: `The script cannot be played: ${param}: ${message}`, param });
    }
  }
}

/** Returns how the batch of a request runs, or null without a valid script for it. */
export function batchScriptOf(attempt: ChatAttempt): ScriptedBatch | null {
  const turn = currentTurn(attempt.body.messages);
  const found = findScript(turn.input);
  return found.kind === 'script' ? scriptedBatch(found.script, attempt, turn) : null;
}

const PACE = { thinkMs: 0, paceMs: 0, chunkChars: 24, interleave: false };
const QUOTED_CHARS = 1000;

/** Replies without a script: calls each allowed tool once, then answers with the input and the tools' results. */
function replyUnscripted({ body, bodyLength }: ChatAttempt, turn: CurrentTurn): SimulatedResponse {
  const tools = toolsToCall(body, turn);
  const words = isSummaryRequest(body) ? summaryOf(body, turn) : answerTo(turn);
  const reply = {
    text: tools.length
      ? `Let me use ${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}.`
      : exampleAnswer(body.response_format, words),
    calls: tools.map((tool, index) => callOf(tool, `call_${turn.number}_${turn.since.length}_${index}`)),
    ...{ hosted: [], citations: [] },
    reasoning: '',
    refusal: null,
    finishReason: tools.length ? 'tool_calls' : 'stop',
  };
  const usage = estimateUsage(bodyLength, reply);
  return { kind: 'reply', reply: { ...reply, usage }, pace: PACE, flaw: null, background: null };
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
  const echo = `You said: "${quoted(turn.input)}".`;
  return results ? `${echo} The tools answered: ${quoted(results)}` : echo;
}

function quoted(text: string): string {
  return text.length > QUOTED_CHARS ? `${text.slice(0, QUOTED_CHARS)}…` : text;
}
