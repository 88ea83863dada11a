import { REPLY_BOUNDS } from '../../../bounds/reply-bounds.ts';
import type { ToolChoice } from '../../../turn/config/tool-choice.ts';
import type { Message } from '../../../turn/message.ts';
import type { FinishReason, Reply } from '../../../turn/reply.ts';
import type { Tool } from '../../../turn/request/tool.ts';
import type { Delta, Provider, RoundRequest } from '../../provider.ts';
import { renderHistory } from '../../render-history.ts';
import { boundReply } from '../../unusable-reply.ts';
import { endText, parseMarkers, startHoldBack, takeText } from './hold-back.ts';

type Ask = Pick<Provider, 'ask'>;

/** Lets a model call tools by markers in its text. The deltas and the stored text are without markers. */
export function readInline(provider: Ask): Ask {
  return {
    async ask(request, signal, onDelta) {
      const asked = inlineRequest(request);
      // A model with earlier tool calls may still write markers.
      if (request.tools.length === 0 && !hasCalls(request)) {
        return provider.ask(asked, signal, onDelta);
      }
      const shown = showText(onDelta);
      const reply = await provider.ask(asked, signal, shown.take);
      shown.end();
      return readReply(reply, shown.read(reply), request);
    },
  };
}

function hasCalls({ messages }: RoundRequest): boolean {
  return messages.some((message) => message.role === 'assistant' && message.calls.length > 0);
}

function inlineRequest(request: RoundRequest): RoundRequest {
  return {
    ...request,
    instructions: request.tools.length > 0 ? explainTools(request) : request.instructions,
    messages: [...renderHistory(request.messages), ...ban(request)],
    tools: [],
    declaredTools: [],
    toolChoice: 'auto',
    parallelToolCalls: null,
  };
}

type Read = Pick<Reply, 'text' | 'refusalFrom'> & Pick<ReturnType<typeof parseMarkers>, 'calls'>;

/** Passes on deltas without markers. After a refusal of the model it stops the search for markers. */
function showText(onDelta: (delta: Delta) => void) {
  const holding = startHoldBack();
  let received = '';
  let shown = '';
  let isRefused = false;
  const show = (text: string) => {
    shown += text;
    if (text) onDelta({ kind: 'text', text });
  };
  const receive = (text: string) => {
    received += text;
    boundText(received);
    show(takeText(holding, text));
  };
  const end = () => {
    if (!isRefused) show(endText(holding));
  };
  return {
    take(delta: Delta) {
      if (delta.kind === 'text' && !isRefused) return receive(delta.text);
      if (delta.kind === 'refusal') {
        end();
        isRefused = true;
      }
      onDelta(delta);
    },
    end,
    read({ text, refusalFrom = null }: Reply): Read {
      const said = text?.slice(0, refusalFrom ?? undefined) ?? '';
      boundText(said);
      const read = said === received ? { text: shown || null, calls: holding.calls } : parseMarkers(said);
      return refusalFrom === null ? read : withRefusal(read, text?.slice(refusalFrom) ?? '');
    },
  };
}

function withRefusal({ text, calls }: Omit<Read, 'refusalFrom'>, refusal: string): Read {
  const said = text ?? '';
  return { text: said + refusal || null, calls, refusalFrom: said.length };
}

function boundText(text: string): void {
  boundReply(text.length, REPLY_BOUNDS.markedLength, 'of text with markers');
}

/** Returns a reply with the calls of the markers. If no tool may be called, the markers are only removed. */
function readReply(reply: Reply, { calls: marked, ...read }: Read, { tools, toolChoice, round }: RoundRequest): Reply {
  const mayCall = tools.length > 0 && toolChoice !== 'none';
  const named = marked.map((call, index) => ({ id: `inline_${round}_${index}`, ...call }));
  const calls = [...reply.calls, ...(mayCall ? named : [])];
  return { ...reply, ...read, calls, finishReason: finishReason(reply.finishReason, calls.length > 0) };
}

/** Returns the finish reason. Only a reply with a regular end has calls to run. */
function finishReason(given: FinishReason, hasCalls: boolean): FinishReason {
  return hasCalls && given === 'stop' ? 'tool_calls' : given;
}

/** Adds the explanation of markers to the instructions. A cache can keep them, since no round changes them. */
function explainTools({ instructions, tools, turnChoice, parallelToolCalls }: RoundRequest): string {
  const explanation = [
    '# Tools',
    '',
    'You can call tools. To call one, write a marker in your reply:',
    '[TOOL_CALL: name] without arguments, or [TOOL_CALL: name {json}] with arguments: one JSON object that fits the',
    'JSON Schema of the tool. A marker inside code is a quotation and calls nothing.',
    rule(turnChoice),
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

function rule(choice: ToolChoice): string {
  if (choice === 'none') return 'You must not call any tool.';
  if (choice === 'auto') return 'Call a tool only where you need it; you may write several markers in one reply.';
  const calls = choice === 'required' ? 'at least one tool' : `exactly one tool, once: ${choice.name}`;
  return `In your first reply to the last input of the user you must call ${calls}. Then call a tool only where you need it.`;
}

/** Forbids calls in a last round and in a repair, in the last message after the history. */
function ban({ tools, mayCall }: RoundRequest): Message[] {
  if (mayCall || tools.length === 0) return [];
  return [{ role: 'system', content: 'In this reply you must not call any tool.' }];
}

function describe({ name, description, parameters }: Tool): string {
  return `- ${name}${description ? `: ${description}` : ''}\n  ${JSON.stringify(parameters)}`;
}
