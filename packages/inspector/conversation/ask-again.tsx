import { createRef } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ActionButton, notice, pressSubmit } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { askFirst } from '../base/dialog.tsx';
import type { ListedTurn, Turn } from '../base/turn.ts';
import { joinContent, splitContent } from '../content/split-content.ts';
import { conversationHref } from '../route.ts';

/** A form that asks the input of a turn in other words. A new conversation with the same history gets the answer. */
export function AskAgain({ turn: { id, input }, close }: { turn: ListedTurn; close: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const last = input.at(-1) ?? { role: 'user' as const, content: '' };
  const { words, kept } = splitContent(last.content);
  useEffect(() => field.current?.focus(), []);
  const ask = () => {
    const content = joinContent(field.current?.value ?? words, kept);
    return fork(id, { after_round: 0, input: [...input.slice(0, -1), { ...last, content }] });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
    else if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    else pressSubmit(field.current);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form class="question" onSubmit={(event) => event.preventDefault()}>
      <textarea ref={field} rows={3} aria-label="Ask this instead" defaultValue={words} onKeyDown={press} />
      <p class="meta">A new conversation gets this input. This conversation does not change.</p>
      <div class="actions">
        <ActionButton submits looks="primary" work={ask}>
          Ask again
        </ActionButton>
        <ActionButton work={close}>Leave it</ActionButton>
      </div>
    </form>
  );
}

/** Asks for an input, and continues from a round of a turn in a new conversation. */
export function forkAfter({ id }: ListedTurn, round: number): Promise<void> {
  const field = createRef<HTMLTextAreaElement>();
  return askFirst({
    title: `Fork after round ${round}`,
    body: (
      <>
        <p>A new conversation continues from there. This conversation does not change.</p>
        <label>
          Input
          <textarea ref={field} rows={3} placeholder="Optional: the next message" />
        </label>
      </>
    ),
    action: 'Fork',
    work: () => fork(id, { after_round: round, ...(field.current?.value.trim() && { input: field.current.value }) }),
  });
}

async function fork(id: string, body: object): Promise<void> {
  const turn = await call<Turn>('POST', `/v1/turns/${id}/fork`, { body });
  notice('A new conversation continues from there.');
  location.hash = conversationHref(turn.conversation_id);
}
