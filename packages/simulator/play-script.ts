import { type ChatAttempt, type ChatRequest, textOf } from './chat-request.ts';
import { type CurrentTurn, resultsText, roundsPlayed } from './current-turn.ts';
import { errorBody, refuse } from './error-body.ts';
import { estimateUsage, tokensOf } from './estimate-usage.ts';
import { exampleAnswer } from './example-answer.ts';
import type { Call, Pace, SimulatedReply, SimulatedResponse } from './reply.ts';
import type { Fault, Script, ScriptedBatch, ScriptedReply } from './script.ts';
import { hasSummary, isSummaryRequest, summaryOf } from './summary-request.ts';

const CHUNK_CHARS = 24;

/** Plays the next round after the history, or the answer if no round is left or no call is allowed. */
export function playScript(script: Script, attempt: ChatAttempt, turn: CurrentTurn): SimulatedResponse {
  const offered = [...(attempt.body.tools ?? []), ...(attempt.body.hostedTools ?? [])];
  if (script.refuses_tools && offered.length > 0) return refuseTools(attempt.body.model);
  const prompt = tokensOf(attempt.bodyLength);
  if (prompt > (script.context_tokens ?? prompt)) return refuseLength(prompt, script.context_tokens);
  const scripted = currentReply(script, attempt, turn);
  const pace = paceOf(script, scripted);
  const reply = replyOf(script, scripted, { attempt, turn });
  const { fault } = scripted;
  const background = scripted.background && isAmong(attempt, scripted.background) ? scripted.background : null;
  if (!fault || !meets(attempt, fault)) {
    return { kind: 'reply', reply, pace, flaw: null, background };
  }
  if (fault.kind === 'refuse') return { kind: 'hang-up' };
  if (fault.kind === 'status') return failure(fault, pace.thinkMs);
  if (fault.kind === 'hang' && fault.after_chars === undefined) return { kind: 'silence' };
  return { kind: 'reply', reply, pace, flaw: fault, background };
}

/** Returns how the batch of a request runs. Later attempts keep the delays, and meet no fault. */
export function scriptedBatch(script: Script, attempt: ChatAttempt, turn: CurrentTurn): ScriptedBatch | null {
  const batch = currentReply(script, attempt, turn).batch ?? script.batch ?? null;
  if (!batch || isAmong(attempt, batch)) return batch;
  const { delay_ms, list_ms } = batch;
  return { delay_ms, list_ms, refuse: false, lose_answer: false, cut_results: false };
}

/** Returns whether a request meets a fault: in the first attempts of its round, and on the tier of the fault. */
function meets(attempt: ChatAttempt, fault: Fault): boolean {
  const tier = fault.kind === 'status' ? fault.service_tier : undefined;
  const isOnTier = tier === undefined || tier === attempt.body.service_tier;
  return isOnTier && isAmong(attempt, fault);
}

/** Returns whether a request is among the first `times` attempts of its round. */
function isAmong({ earlierAttempts }: ChatAttempt, { times }: { times?: number | undefined }): boolean {
  return earlierAttempts < (times ?? Number.POSITIVE_INFINITY);
}

function currentReply(script: Script, { body, round: number }: ChatAttempt, turn: CurrentTurn): ScriptedReply {
  if (isSummaryRequest(body)) return { ...script.summary, say: summaryOf(body, turn, script.summary) };
  const repair = script.repairs[turn.repairs - 1];
  if (repair) return repair;
  // A summary may also replace rounds of this turn.
  const round = script.rounds[hasSummary(body) ? number - 1 : roundsPlayed(turn, script.calls_as)];
  if (!round) return finalReply(script, body);
  if (round.tools?.length) return mayCall(script.calls_as, body) ? round : finalReply(script, body);
  // A round without text and calls exists for its fault or its pace.
  return { ...round, say: sayOf(round, script, body) };
}

function finalReply(script: Script, body: ChatRequest): ScriptedReply {
  return { ...script.final, say: sayOf(script.final ?? {}, script, body) };
}

/** Returns the text of a reply. A refusal replaces the answer. */
function sayOf({ say, refusal }: ScriptedReply, { answer }: Script, body: ChatRequest): string | undefined {
  if (say !== undefined || refusal !== undefined) return say;
  return answer ?? exampleAnswer(body.response_format, 'Done.');
}

function paceOf(script: Script, scripted: ScriptedReply): Pace {
  return {
    thinkMs: scripted.think_ms ?? script.think_ms ?? 0,
    paceMs: scripted.pace_ms ?? script.pace_ms ?? 0,
    chunkChars: scripted.piece_chars ?? script.piece_chars ?? CHUNK_CHARS,
    interleave: scripted.interleave ?? script.interleave ?? false,
  };
}

function replyOf(
  script: Script,
  scripted: ScriptedReply,
  { attempt, turn }: { attempt: ChatAttempt; turn: CurrentTurn },
): SimulatedReply {
  const text = scripted.say?.replaceAll('{{results}}', () => resultsText(turn)) ?? null;
  const written = writeCalls(script.calls_as, attempt.body, { text, calls: callsOf(scripted, turn) });
  const hosted = hostedOf(scripted, attempt.body);
  const reply = {
    ...written,
    hosted,
    citations: hosted.length > 0 ? (scripted.citations ?? []) : [],
    reasoning: scripted.reasoning ?? '',
    refusal: scripted.refusal ?? null,
    finishReason: scripted.finish_reason ?? (written.calls.length ? 'tool_calls' : 'stop'),
  };
  return { ...reply, usage: scripted.usage === undefined ? estimateUsage(attempt.bodyLength, reply) : scripted.usage };
}

/**
 * Returns the calls of a reply. An id has the turn, the number of later messages and the index. So it is unique in
 * the conversation and equal in every attempt.
 */
function callsOf(scripted: ScriptedReply, { number, since }: CurrentTurn): Call[] {
  return (scripted.tools ?? []).map((tool, index) => ({
    id: tool.id ?? `call_${number}_${since.length}_${index}`,
    name: tool.name,
    arguments: typeof tool.arguments === 'string' ? tool.arguments : JSON.stringify(tool.arguments),
  }));
}

/** Returns the calls of the hosted tools that the request offers. No server calls another tool. */
function hostedOf({ hosted = [] }: ScriptedReply, { hostedTools = [], tool_choice: choice }: ChatRequest) {
  return choice === 'none' ? [] : hosted.filter(({ type }) => hostedTools.includes(type));
}

function refuseTools(model: string): SimulatedResponse {
  return refuse({ code: 'invalid_request', message: `${model} does not support tools`, param: 'tools' });
}

function refuseLength(prompt: number, most = 0): SimulatedResponse {
  const message = `This model's maximum context length is ${most} tokens. However, your messages resulted in ${prompt} tokens.`;
  return refuse({ code: 'context_length_exceeded', message, param: 'messages' });
}

function failure(fault: Extract<Fault, { kind: 'status' }>, thinkMs: number): SimulatedResponse {
  const headers: Record<string, string> = {};
  if (fault.retry_after !== undefined) headers['retry-after'] = String(fault.retry_after);
  if (fault.retry_after_ms !== undefined) headers['retry-after-ms'] = String(fault.retry_after_ms);
  return { kind: 'error', status: fault.status, headers, body: fault.body ?? errorBody(fault.status), thinkMs };
}

type CallsAs = Script['calls_as'];
type WrittenReply = { text: string | null; calls: Call[] };

/** Returns whether the request allows calls in the form of this model. */
function mayCall(callsAs: CallsAs, body: ChatRequest): boolean {
  switch (callsAs) {
    case 'native':
      return offersTools(body);
    case 'json':
      return offersTools(body) || demandsJson(body);
    case 'inline':
      return explainsMarkers(body) && !forbidsMarkers(body);
  }
}

/** Writes text and calls: as native calls, as JSON alone, or as markers in the text. */
function writeCalls(callsAs: CallsAs, body: ChatRequest, { text, calls }: WrittenReply): WrittenReply {
  switch (callsAs) {
    case 'native':
      return { text, calls };
    case 'json':
      return { text: demandsJson(body) ? asJson(calls) : (text ?? 'I cannot call tools.'), calls: [] };
    case 'inline':
      return { text: [text, ...calls.map(asMarker)].filter((part) => part !== null).join('\n'), calls: [] };
  }
}

function offersTools(body: ChatRequest): boolean {
  return Boolean(body.tools?.length) && body.tool_choice !== 'none';
}

/** Returns whether this is the second request of an emulated round: no tools, and a message that demands JSON. */
function demandsJson(body: ChatRequest): boolean {
  const isDemand = body.messages.some(
    (message) => message.role === 'system' && textOf(message).includes('"arguments"'),
  );
  return isDemand && !offersTools(body);
}

function explainsMarkers(body: ChatRequest): boolean {
  const first = body.messages[0];
  return first?.role === 'system' && textOf(first).includes('[TOOL_CALL');
}

/** Returns whether the last message forbids calls, as in a last round. */
function forbidsMarkers(body: ChatRequest): boolean {
  const last = body.messages.at(-1);
  return last?.role === 'system' && textOf(last).includes('must not call any tool');
}

function asJson(calls: Call[]): string {
  return `{"tools":[${calls.map((call) => `{"tool":${JSON.stringify(call.name)},"arguments":${call.arguments}}`)}]}`;
}

function asMarker(call: Call): string {
  return `[TOOL_CALL: ${call.name}${call.arguments === '{}' ? '' : ` ${call.arguments}`}]`;
}
