import type { ComponentChildren } from 'preact';
import { CodeBlock, prettyJson } from '../base/fact-list.tsx';
import { inOrder } from '../base/memo.tsx';
import type { Turn } from '../base/turn.ts';
import { titleOf } from '../base/words.ts';
import { ContentView, lengthOf } from '../content/part-view.tsx';
import type { InputItem, WatchedResponse } from '../watch/watched-response.ts';

const LONG_CHARS = 300;

/** The input of a turn, closed if it is long. Hidden if the title of the page is the whole input. */
export function InputView({ turn, given }: { turn: Turn; given: WatchedResponse['responseInput'] }) {
  const { input } = turn;
  const isTitle = input.length === 1 && input[0]?.content === titleOf(turn);
  if (isTitle && !given?.items.some(({ type }) => type !== 'message')) return null;
  const items: InputItem[] = given?.items ?? input.map((message) => ({ type: 'message', ...message }));
  const isLong = items.length > 3 || input.reduce((sum, { content }) => sum + lengthOf(content), 0) > LONG_CHARS;
  return (
    <details class="input" open={!isLong}>
      <summary>
        <h2>Input</h2>
      </summary>
      {inOrder(items, (item) => (
        <ItemView item={item} />
      ))}
      {given?.hasMore && <p class="hint">More than {items.length} items. The API returns all items.</p>}
    </details>
  );
}

function ItemView({ item }: { item: InputItem }) {
  const { type, role = '', content, name, output, call_id: callId, server_label: server } = item;
  const call = `${name}(${item.arguments ?? item.input ?? ''})`;
  switch (type) {
    case 'message':
      return (
        <Message author={role}>
          <ContentView content={content ?? ''} />
        </Message>
      );
    case 'function_call':
    case 'custom_tool_call':
    case 'mcp_call':
      return (
        <Message author="earlier call" id={callId ?? `run by ${server}`}>
          <CodeBlock text={type === 'mcp_call' ? `${call}\n${output ?? ''}`.trim() : call} label={`Call of ${name}`} />
        </Message>
      );
    case 'function_call_output':
    case 'custom_tool_call_output':
      return (
        <Message author="result" id={callId}>
          <ContentView content={output ?? ''} />
        </Message>
      );
    default: {
      const { id: _, type: __, ...rest } = item;
      return (
        <Message author={type.replaceAll('_', ' ')}>
          <CodeBlock text={prettyJson(rest)} label={type} />
        </Message>
      );
    }
  }
}

type MessageProps = { author: string; id?: string | undefined; children: ComponentChildren };

/** A message with the role of its author. `id` is the id of the call that it makes or answers. */
export function Message({ author, id, children }: MessageProps) {
  return (
    <div class={`message ${author}`}>
      <p class="role">
        {author}
        {id && <code> {id}</code>}
      </p>
      <div>{children}</div>
    </div>
  );
}
