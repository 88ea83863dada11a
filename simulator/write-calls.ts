import type { Call } from './act.ts';
import { type ChatRequest, textOf } from './chat-request.ts';
import type { Script } from './script.ts';

type CallsAs = Script['calls_as'];
type Spoken = { text: string | null; calls: Call[] };

/** Whether this request lets the model call tools, in the way this model writes its calls. */
export function mayCall(callsAs: CallsAs, body: ChatRequest): boolean {
  switch (callsAs) {
    case 'native':
      return offersTools(body) && body.tool_choice !== 'none';
    case 'json':
      return offersTools(body) || demandsJson(body);
    case 'inline':
      return explainsMarkers(body);
  }
}

/** Writes what the model says and calls: as the wire's own calls, as JSON alone, or as markers in the text. */
export function writeCalls(callsAs: CallsAs, body: ChatRequest, { text, calls }: Spoken): Spoken {
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
  return Boolean(body.tools?.length);
}

/** The second question of an emulated round: no tools on the wire, a system message that asks for them as JSON. */
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

function asJson(calls: Call[]): string {
  return `{"tools":[${calls.map((call) => `{"tool":${JSON.stringify(call.name)},"arguments":${call.arguments}}`)}]}`;
}

function asMarker(call: Call): string {
  return `[TOOL_CALL: ${call.name}${call.arguments === '{}' ? '' : ` ${call.arguments}`}]`;
}
