import type { FinishReason, Reply } from '../../../turn/reply.ts';
import type { Delta, Provider, RoundRequest } from '../../provider.ts';
import { renderHistory } from '../../render-history.ts';
import { boundReply, REPLY_LIMITS } from '../../reply-limits.ts';
import { explainTools } from './explain-tools.ts';
import { endText, startHoldBack, takeText } from './hold-back.ts';
import { parseMarkers } from './parse-markers.ts';

type Ask = Pick<Provider, 'ask'>;

/**
 * Lets a model call tools by markers in its text. The wire carries no tools and no calls; what is shown as deltas is
 * the text without its markers, exactly as it is stored.
 */
export function readInline(provider: Ask): Ask {
  return {
    async ask(request, signal, onDelta) {
      const asked = inlineRequest(request);
      // A final round offers no tools, but a model that has used some may still write markers.
      if (request.tools.length === 0 && !request.declaredTools?.length) {
        return provider.ask(asked, signal, onDelta);
      }
      const shown = showText(onDelta);
      const reply = await provider.ask(asked, signal, shown.take);
      shown.end();
      return readReply(reply, shown.read(reply.text ?? ''), request);
    },
  };
}

function inlineRequest(request: RoundRequest): RoundRequest {
  return {
    ...request,
    instructions: request.tools.length > 0 ? explainTools(request) : request.instructions,
    messages: renderHistory(request.messages),
    tools: [],
    declaredTools: [],
    toolChoice: 'auto',
    parallelToolCalls: null,
  };
}

type Read = ReturnType<typeof parseMarkers>;

/** Passes deltas on, text without its markers, and reads the whole text by what it has read already. */
function showText(onDelta: (delta: Delta) => void) {
  const holding = startHoldBack();
  let heard = '';
  let shown = '';
  const show = (text: string) => {
    shown += text;
    if (text) onDelta({ kind: 'text', text });
  };
  const hear = (text: string) => {
    heard += text;
    boundText(heard);
    show(takeText(holding, text));
  };
  return {
    take: (delta: Delta) => (delta.kind === 'text' ? hear(delta.text) : onDelta(delta)),
    end: () => show(endText(holding)),
    read(text: string): Read {
      boundText(text);
      return text === heard ? { text: shown || null, calls: holding.calls } : parseMarkers(text);
    },
  };
}

function boundText(text: string): void {
  boundReply(text.length, REPLY_LIMITS.markedLength, 'of text with markers');
}

/** What the markers stand for, as calls; where none may be called now, the markers are cut out and that is all. */
function readReply(reply: Reply, { text, calls: marked }: Read, { tools, toolChoice, round }: RoundRequest): Reply {
  const mayCall = tools.length > 0 && toolChoice !== 'none';
  const named = marked.map((call, index) => ({ id: `inline_${round}_${index}`, ...call }));
  const calls = [...reply.calls, ...(mayCall ? named : [])];
  return { ...reply, text, calls, finishReason: finishReason(reply.finishReason, calls.length > 0) };
}

/** A cut or filtered reply stays one: its calls are not run. */
function finishReason(told: FinishReason, hasCalls: boolean): FinishReason {
  return hasCalls && (told === 'stop' || told === 'other') ? 'tool_calls' : told;
}
