import { useEffect, useRef, useState } from 'preact/hooks';
import { ActionButton, notice, pressSubmit } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import type { Turn } from '../base/turn.ts';

type Way = { label: string; does: string; placeholder: string };

/** The ways to continue a running conversation, by their `on_active_turn`. */
const WAYS: Record<string, Way> = {
  enqueue: { label: 'Next', does: 'Starts a turn after the running turn.', placeholder: 'Ask next' },
  steer: { label: 'Steer', does: 'Joins the running turn in its next round.', placeholder: 'Steer this turn' },
  merge: {
    label: 'Wait',
    does: 'Joins the turn that waits, or starts a turn that waits.',
    placeholder: 'Add to the waiting turn',
  },
  interrupt: { label: 'Interrupt', does: 'Stops the running turn and asks this instead.', placeholder: 'Ask instead' },
};

/** The last chosen way, for all conversations of this tab. */
let chosen = 'enqueue';

/** `isKnown` says whether the page already has a turn. `sent` is called after the API has accepted the message. */
type BoxProps = {
  conversationId: string;
  isRunning: boolean;
  isKnown: (turnId: string) => boolean;
  sent: () => Promise<unknown>;
};

/**
 * The box at the foot of a conversation. Its text becomes a turn, or joins a turn. `Enter` sends, `Shift Enter`
 * begins a line, `Escape` leaves the box. The tab keeps the draft.
 */
export function ReplyBox({ conversationId, isRunning, isKnown, sent }: BoxProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [way, setWay] = useState(chosen);
  const draft = `pawl.draft.${conversationId}`;
  useEffect(() => grow(field.current), []);
  const choose = (next: string) => {
    chosen = next;
    setWay(next);
    field.current?.focus();
  };
  const submit = async () => {
    const input = field.current?.value ?? '';
    if (!field.current || input.trim() === '') return field.current?.focus();
    const path = `/v1/conversations/${encodeURIComponent(conversationId)}/turns`;
    const turn = await call<Turn>('POST', path, { body: { input, on_active_turn: isRunning ? way : 'enqueue' } });
    field.current.value = '';
    sessionStorage.removeItem(draft);
    grow(field.current);
    if (isKnown(turn.id)) notice('The message joined a turn.');
    await sent();
  };
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    pressSubmit(field.current);
  };
  return (
    <form class="reply-box" aria-label="Reply" onSubmit={(event) => event.preventDefault()}>
      {isRunning && <Ways way={way} choose={choose} />}
      <div class="reply-line">
        <textarea
          id="reply"
          ref={field}
          rows={1}
          aria-label="Message"
          placeholder={(isRunning && WAYS[way]?.placeholder) || 'Ask something'}
          defaultValue={sessionStorage.getItem(draft) ?? ''}
          onKeyDown={press}
          onInput={({ currentTarget }) => {
            sessionStorage.setItem(draft, currentTarget.value);
            grow(currentTarget);
          }}
        />
        <ActionButton submits looks="primary" work={submit}>
          Send
        </ActionButton>
      </div>
      <p class="hint" aria-live="polite">
        {isRunning && WAYS[way]?.does}
      </p>
    </form>
  );
}

function Ways({ way, choose }: { way: string; choose: (way: string) => void }) {
  return (
    <fieldset class="ways">
      <legend class="unseen">A turn is running. Choose how to send the message</legend>
      {Object.entries(WAYS).map(([name, { label }]) => (
        <label key={name}>
          <input
            type="radio"
            class="unseen"
            name="way"
            value={name}
            checked={name === way}
            onChange={() => choose(name)}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

/** Makes a field as high as its lines, up to the limit of the style sheet. */
function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return;
  field.style.height = 'auto';
  field.style.height = `${field.scrollHeight + 2}px`;
}
