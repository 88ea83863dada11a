import { CopyButton } from '../base/buttons.tsx';
import { urlOf } from '../base/call.ts';
import { CodeBlock } from '../base/fact-list.tsx';
import { storedKey } from '../base/key.tsx';
import { Memo } from '../base/memo.tsx';
import { Fold } from '../base/refusal.tsx';
import type { Turn } from '../base/turn.ts';
import type { TurnRequest } from '../start/turn-request.ts';

/** The answer of the API as JSON. An open fold writes the JSON again only if the answer changes. */
export function RawFold({ name, value }: { name: string; value: unknown }) {
  return (
    <Fold looks="fold" title={`Raw JSON: ${name}`}>
      {() => (
        <div class="inside">
          <Memo state={value}>{() => <Copyable name={name} text={JSON.stringify(value, null, 2)} />}</Memo>
        </div>
      )}
    </Fold>
  );
}

/** The actions of this page as commands for a terminal. A command names the variable of a key, never the key. */
export function CurlFold({ turn, request }: { turn: Turn; request: TurnRequest | null }) {
  return (
    <Fold looks="fold" title="Copy as curl">
      {() => (
        <div class="inside">
          {commandsOf(turn, request).map(([name, command]) => (
            <Copyable key={name} name={name} text={command} />
          ))}
        </div>
      )}
    </Fold>
  );
}

function Copyable({ name, text }: { name: string; text: string }) {
  return (
    <div class="copyable">
      <h3>{name}</h3>
      <CopyButton text={() => text} label={`Copy: ${name}`}>
        Copy
      </CopyButton>
      <CodeBlock text={text} label={name} />
    </div>
  );
}

function commandsOf(turn: Turn, request: TurnRequest | null): [name: string, command: string][] {
  const { id, response_id: responseId, status, required_action: action } = turn;
  const path = `/v1/turns/${id}`;
  const output = action?.tool_outputs[0];
  const approval = action?.approvals[0];
  const outputs = { tool_outputs: [{ tool_call_id: output?.id, output: '…' }] };
  const approvals = { approvals: [{ tool_call_id: approval?.id, decision: 'allow' }] };
  const commands: ([string, string] | false | null | undefined)[] = [
    ['Read it', curl('-s', `${path}?wait=30`)],
    ['Follow it', curl('-sN', `${path}/events`, { header: 'accept: text/event-stream' })],
    responseId !== null && ['Read it as a response', curl('-s', `/v1/responses/${responseId}?wait=30`)],
    responseId !== null && ['Stream it as a response', curl('-sN', `/v1/responses/${responseId}?stream=true`)],
    output && ['Give a result', curl('-s', `${path}/tool_outputs`, { body: outputs })],
    approval && ['Approve a call', curl('-s', `${path}/approvals`, { body: approvals })],
    turn.completed_at === null && ['Cancel it', curl('-s -X POST', `${path}/cancel`)],
    status === 'failed' && ['Retry it', curl('-s -X POST', `${path}/retry`)],
    request && ['Start it again', curl('-s', '/v1/turns', { body: shorten(request) })],
  ];
  return commands.filter((command) => !!command);
}

function curl(options: string, path: string, { header, body }: { header?: string; body?: unknown } = {}): string {
  const parts = [
    `curl ${options} ${quote(urlOf(path))}`,
    storedKey() !== null && '-H "Authorization: Bearer $PAWL_API_KEY"',
    header && `-H ${quote(header)}`,
    body !== undefined && `-H 'content-type: application/json' -d ${quote(JSON.stringify(body, null, 2))}`,
  ];
  return parts.filter(Boolean).join(' \\\n  ');
}

function shorten(request: TurnRequest) {
  const [only, ...more] = request.input;
  return { ...request, input: only?.role === 'user' && more.length === 0 ? only.content : request.input };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
