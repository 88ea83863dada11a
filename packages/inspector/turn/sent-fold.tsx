import { call } from '../base/call.ts';
import { CodeBlock, FactList, prettyJson, scrollable } from '../base/fact-list.tsx';
import { inOrder } from '../base/memo.tsx';
import { LazyFold } from '../base/refusal.tsx';
import { formatCount } from '../base/words.ts';
import { Message } from './input-view.tsx';

type SentCall = { id: string; function: { name: string; arguments: string } };
type SentMessage = { role: string; content?: unknown; tool_call_id?: string; tool_calls?: SentCall[] };
type Tool = { name?: string; type?: string; description?: string };

/** The content of a request to a model: its messages, its tools, and its settings (all other fields). */
type Request = Record<string, unknown> & { instructions?: string | null; messages?: SentMessage[]; tools?: Tool[] };

/** The request of a round to the model. The fold reads it when a person opens it. */
export function SentFold({ turnId, round }: { turnId: string; round: number }) {
  const path = `/v1/turns/${encodeURIComponent(turnId)}/rounds/${round}/sent`;
  const read = async () => <RequestView request={await readPages(path)} />;
  return <LazyFold title="Request to the model" looks="sent" read={read} />;
}

/** The settings of a turn, as they were resolved at its creation. The fold reads them when a person opens it. */
export function ConfigFold({ turnId }: { turnId: string }) {
  const path = `/v1/turns/${encodeURIComponent(turnId)}?include=config`;
  const read = async () => <RequestView request={(await call<{ config: Request }>('GET', path)).config} />;
  return <LazyFold title="Settings of the turn" looks="fold" read={read} />;
}

/** The maximum number of pages of messages that the page reads. */
const PAGES = 20;

async function readPages(path: string): Promise<Request> {
  type Page = Request & { messages: SentMessage[]; next_cursor: string | null };
  const sent = await call<Page>('GET', path);
  let { next_cursor: cursor } = sent;
  for (let pages = 1; cursor !== null && pages < PAGES; pages += 1) {
    const page = await call<Page>('GET', `${path}?cursor=${encodeURIComponent(cursor)}`);
    sent.messages.push(...page.messages);
    cursor = page.next_cursor;
  }
  return sent;
}

/** The numbers of first and last messages shown of a long history. */
const FIRST = 10;
const LAST = 40;

function RequestView({ request: { instructions, messages = [], tools = [], ...settings } }: { request: Request }) {
  const all = instructions ? [{ role: 'instructions', content: instructions }, ...messages] : messages;
  const left = all.length - FIRST - LAST;
  return (
    <>
      {all.length > 0 && (
        <div class="messages" {...scrollable('Messages')}>
          {inOrder(left > 1 ? all.slice(0, FIRST) : all, messageView)}
          {left > 1 && <p class="meta">{formatCount(left)} more messages</p>}
          {left > 1 && inOrder(all.slice(-LAST), messageView)}
        </div>
      )}
      {tools.length > 0 && <h4>Tools</h4>}
      {inOrder(tools, toolView)}
      <FactList facts={Object.entries(settings).filter(isSetting).map(settingFact)} />
    </>
  );
}

/** A tool of the provider has no name. */
function toolView(tool: Tool) {
  const { name = tool.type, description = 'Run by the provider' } = tool;
  return (
    <details>
      <summary>
        <code>{name}</code> {description}
      </summary>
      <CodeBlock text={prettyJson(tool)} label={`The tool ${name}`} />
    </details>
  );
}

function messageView({ role, content, tool_call_id: answers, tool_calls: calls = [] }: SentMessage) {
  return (
    <Message author={role} id={answers}>
      {content !== undefined && <p class="said">{prettyJson(content)}</p>}
      {calls.map(({ id, function: { name, arguments: args } }) => (
        <p key={id} class="said">
          <code>{`${name}(${args})`}</code>
          <span class="meta"> {id}</span>
        </p>
      ))}
    </Message>
  );
}

const OTHER = ['object', 'turn_id', 'round', 'has_more', 'next_cursor'];

function isSetting([name, value]: [string, unknown]): boolean {
  const isEmpty = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
  return !OTHER.includes(name) && !isEmpty;
}

function settingFact([name, value]: [string, unknown]): [string, preact.VNode] {
  return [name.replaceAll('_', ' '), <code key={name}>{prettyJson(value)}</code>];
}
