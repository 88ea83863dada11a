import { isApprovalRequest } from '../call.ts';
import { summaryMessage } from '../compaction/sent-history.ts';
import type { Hosted } from '../hosted/hosted.ts';
import type { Message, OpaqueState, RequestedCall } from '../message.ts';
import { isHandedOver } from '../next-step.ts';
import { repairNote } from '../output/output-schema.ts';
import {
  type ApprovalResponse,
  allowingItems,
  type HostedCallItem,
  type InputItem,
  isMessage,
  type MessageItem,
  type Part,
  plainContent,
} from '../request/item.ts';
import { nameOfLabelled } from '../request/labelled-tool.ts';
import { requestIdOf } from '../responses/item-id.ts';
import { deniedResult, type ToolResult } from '../tool-result.ts';
import { isAdded, isTerminal, type Round, type Turn } from '../turn.ts';
import {
  type Answer,
  answerOf,
  answerOfCall,
  CANCELLED,
  type Exchange,
  exchangeMessages,
  opaqueOf,
  UNANSWERED,
} from './exchange.ts';

/** The part of a turn that the transcript needs. Earlier turns are loaded with these fields only. */
type TranscriptTurn = Pick<
  Turn,
  'id' | 'input' | 'adopted' | 'rounds' | 'pendingInput' | 'output' | 'status' | 'startedAt'
> & { config: Pick<Turn['config'], 'tools'> };

/**
 * Expands turns into the history for a provider:
 * - A round is one message, followed by its results in the order of the calls, then the text.
 * - Every call has one answer, directly after its round. The next input answers handed-over calls, the adopting
 *   turn answers allowed calls, and the other calls are cancelled or denied.
 * - Added items begin the next input.
 * - Joined input precedes its first round (R29).
 */
export function transcriptOf(turns: readonly TranscriptTurn[]): Message[] {
  const transcript: Transcript = { entries: [], open: [], spoken: null, opaque: null, hosted: null, createdIds: 0 };
  for (const turn of turns) {
    for (const item of turn.input) addItem(transcript, item, turn);
    if (isAdded(turn)) continue;
    endReply(transcript);
    transcript.open = [];
    addRounds(transcript, turn);
  }
  return transcript.entries.flatMap((entry) => ('answers' in entry ? exchangeMessages(entry) : [entry]));
}

/**
 * `open` are calls that an item may answer, `spoken` is the message that takes calls, `opaque` and `hosted` are for the
 * next message.
 */
type Transcript = {
  entries: (Message | Exchange)[];
  open: { id: string; exchange: Exchange; index: number }[];
  spoken: Exchange | null;
  opaque: OpaqueState | null;
  hosted: Hosted | null;
  createdIds: number;
};

/** Ends the reply of the assistant. Calls that its provider ran after its last message become a message. */
function endReply(transcript: Transcript): void {
  if (transcript.hosted) startExchange(transcript, null);
  Object.assign(transcript, { spoken: null, opaque: null });
}

function addItem(transcript: Transcript, item: InputItem, turn: TranscriptTurn): void {
  if (isMessage(item)) {
    addMessage(transcript, item);
    return;
  }
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call':
      addCall(transcript, { id: item.call_id, name: item.name, arguments: argumentsOf(item) });
      break;
    case 'mcp_call':
      addServedCall(transcript, item);
      break;
    case 'mcp_approval_request':
      addRequest(transcript, item);
      break;
    case 'mcp_approval_response':
      answerCall(transcript, item.approval_request_id, answerOf(resultOfResponse(item, turn)));
      break;
    case 'function_call_output':
    case 'custom_tool_call_output':
      answerCall(transcript, item.call_id, { ...contentOf(item.output), isError: false });
      break;
    case 'hosted_call':
      transcript.spoken = null;
      addHosted(transcript, item);
      break;
    case 'opaque_state':
      Object.assign(transcript, { spoken: null, opaque: { provider: item.provider, state: item.state } });
      break;
    case 'compaction':
      addMessage(transcript, summaryMessage(item.summary));
      break;
  }
}

/** Returns the arguments of a call. A custom tool's free text is its argument `input`, as the model knows the tool. */
function argumentsOf(item: Extract<InputItem, { type: 'function_call' | 'custom_tool_call' }>): string {
  return item.type === 'function_call' ? item.arguments : JSON.stringify({ input: item.input });
}

function addMessage(transcript: Transcript, { role, content }: MessageItem): void {
  if (role === 'assistant') {
    transcript.spoken = startExchange(transcript, plainContent(content));
    return;
  }
  endReply(transcript);
  transcript.entries.push({ role: role === 'user' ? 'user' : 'system', ...contentOf(content) });
}

function addHosted(transcript: Transcript, { call, images = [] }: HostedCallItem): void {
  transcript.hosted ??= { calls: [], annotations: [], images: [] };
  transcript.hosted.calls.push(call);
  transcript.hosted.images.push(...images.map(({ image_url: url }) => ({ url, offset: 0 })));
}

function startExchange(transcript: Transcript, content: string | null): Exchange {
  const { opaque, hosted } = transcript;
  const exchange: Exchange = { content, calls: [], answers: [], opaque, ...(hosted && { hosted }) };
  Object.assign(transcript, { opaque: null, hosted: null });
  transcript.entries.push(exchange);
  return exchange;
}

/**
 * Adds a call to the last message or a new message. Ids in a message are unique. `fallback` answers an unanswered
 * call.
 */
function addCall(
  transcript: Transcript,
  call: RequestedCall,
  { openId = call.id, fallback = null }: { openId?: string; fallback?: Answer | null } = {},
): void {
  const { spoken } = transcript;
  const isNew = spoken?.calls.every(({ id }) => id !== call.id);
  const exchange = spoken && isNew ? spoken : startExchange(transcript, null);
  transcript.open.push({ id: openId, exchange, index: exchange.calls.length });
  transcript.spoken = exchange;
  exchange.calls.push(call);
  exchange.answers.push(fallback);
}

type ServedCall = Extract<InputItem, { type: 'mcp_call' }>;

/** Adds a call that a server ran, with its answer. Such an item has no call id, so it gets one here. */
function addServedCall(
  transcript: Transcript,
  { server_label, name, arguments: args, output, error }: ServedCall,
): void {
  const id = createId(transcript);
  addCall(transcript, { id, name: nameOfLabelled({ serverLabel: server_label, name }), arguments: args });
  const { spoken } = transcript;
  answerCall(transcript, id, { content: error ?? output ?? '', isError: error !== null });
  transcript.spoken = spoken;
}

type Request = Extract<InputItem, { type: 'mcp_approval_request' }>;

/** Adds a call that needs a person's approval, from a turn outside the history. */
function addRequest(transcript: Transcript, { id: openId, server_label, name, arguments: args }: Request): void {
  const call = { id: createId(transcript), name: nameOfLabelled({ serverLabel: server_label, name }), arguments: args };
  addCall(transcript, call, { openId, fallback: UNANSWERED });
}

function createId(transcript: Transcript): string {
  transcript.createdIds += 1;
  return `mcp_${transcript.createdIds}`;
}

/** Returns the result of a call that an approval request named. */
function resultOfResponse(response: ApprovalResponse, { input, adopted }: TranscriptTurn): ToolResult {
  if (!response.approve) return deniedResult(response.reason);
  return adopted[allowingItems(input).indexOf(response)]?.result ?? CANCELLED;
}

/** Answers the latest open call of an id. An answer ends the message, so a later call belongs to a later message. */
function answerCall(transcript: Transcript, id: string, answer: Answer): void {
  transcript.spoken = null;
  const place = transcript.open.findLastIndex((call) => call.id === id);
  const [call] = place === -1 ? [] : transcript.open.splice(place, 1);
  if (call) call.exchange.answers[call.index] = answer;
}

function contentOf(content: string | Part[]): { content: string; parts?: Part[] } {
  const plain = plainContent(content);
  if (typeof content === 'string' || content.every(({ type }) => type === 'input_text')) return { content: plain };
  return { content: plain, parts: content };
}

function addRounds(transcript: Transcript, turn: TranscriptTurn): void {
  const { rounds, output } = turn;
  const isOver = isHandedOver(turn);
  for (const round of rounds) {
    addJoined(transcript, round.input, turn);
    if (round.calls.length === 0 && !isLeftWithText(turn, round) && !isStateAlone(turn, round)) continue;
    // The text of a round that ended the turn is its output, and may be stored only there.
    const text = isOver && round === rounds.at(-1) ? (round.text ?? (output || null)) : round.text;
    addRound(transcript, { ...round, text }, turn);
    addRepair(transcript, round, turn);
  }
  if (output && !isOver) addOutput(transcript, output, rounds.at(-1));
  addJoined(transcript, turn.pendingInput, turn);
}

function addOutput(transcript: Transcript, output: string, last: Round | undefined): void {
  const opaque = last && last.calls.length === 0 ? opaqueOf(last) : null;
  transcript.entries.push({ content: output, calls: [], answers: [], opaque, hosted: last?.hosted ?? null });
}

/** Adds joined input, which ends the message with open calls. */
function addJoined(transcript: Transcript, items: readonly InputItem[], turn: TranscriptTurn): void {
  for (const item of items) addItem(transcript, item, turn);
  endReply(transcript);
}

/**
 * Returns whether a round has only its text left because its calls were deleted. The last round's text is the output.
 */
function isLeftWithText({ rounds, output }: TranscriptTurn, round: Round): boolean {
  return Boolean(round.text) && !(output && round === rounds.at(-1));
}

/** Returns whether a reply has only state of its provider, such as calls that its server ran. */
function isStateAlone({ output }: TranscriptTurn, { text, calls, opaque }: Round): boolean {
  return !output && !text && calls.length === 0 && opaque !== null && opaque !== undefined;
}

/** Adds the violations of an answer after it, if another round follows. */
function addRepair(transcript: Transcript, { number, violations }: Round, { rounds, status }: TranscriptTurn): void {
  const isFollowed = number < (rounds.at(-1)?.number ?? 0) || !isTerminal(status);
  if (violations && isFollowed) transcript.entries.push({ role: 'user', content: repairNote(violations) });
}

function addRound(transcript: Transcript, round: Round, { id: turnId, config }: TranscriptTurn): void {
  const exchange: Exchange = {
    content: round.text,
    calls: round.calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    answers: round.calls.map(answerOfCall),
    opaque: opaqueOf(round),
    hosted: round.hosted,
  };
  transcript.entries.push(exchange);
  for (const [index, call] of round.calls.entries()) {
    const isRequest = isApprovalRequest(config, call);
    if (isRequest) exchange.answers[index] = UNANSWERED;
    const id = isRequest ? requestIdOf(turnId, call) : call.id;
    if (call.result?.status === 'handed_over') transcript.open.push({ id, exchange, index });
  }
}
