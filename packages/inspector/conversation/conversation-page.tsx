import { useEffect, useRef } from 'preact/hooks';
import { ActionButton, CopyButton } from '../base/buttons.tsx';
import { FactList } from '../base/fact-list.tsx';
import { Memo, useTitle } from '../base/memo.tsx';
import { Refusal, Skeleton } from '../base/refusal.tsx';
import type { Conversation, ListedTurn } from '../base/turn.ts';
import { useNear } from '../base/use-near.ts';
import { titleOf } from '../base/words.ts';
import { hrefOfReference, listHref, type Route, turnHref } from '../route.ts';
import { ReplyBox } from './reply-box.tsx';
import { ThreadTurn } from './thread-turn.tsx';
import { isActive, useThread } from './use-thread.ts';

/** A conversation as a thread, live while it runs, with a box to continue it. */
export function ConversationPage({ id }: Route) {
  const { conversation, turns, cursor, refused, again, readEarlier } = useThread(id);
  const { place, goToEnd } = useKeptPlace();
  // The page follows only one turn, since a browser opens few connections to a host.
  const active = turns.find(isActive);
  useTitle('Conversation');
  return (
    <div class="conversation" ref={place}>
      <Head id={id} conversation={conversation} first={cursor === null ? turns[0] : undefined} />
      <Refusal refused={refused} again={again} />
      {!conversation && !refused && <Skeleton />}
      {cursor !== null && <Earlier cursor={cursor} read={readEarlier} />}
      {conversation && (
        <>
          <h2 class="unseen">Turns</h2>
          <ol class="thread">
            {turns.map((turn) => (
              <Memo key={turn.id} state={[turn, turn === active]}>
                {() => <ThreadTurn listed={turn} isFollowed={turn === active} refresh={again} />}
              </Memo>
            ))}
          </ol>
          <ReplyBox
            conversationId={id}
            isRunning={active !== undefined}
            isKnown={(turnId) => turns.some((turn) => turn.id === turnId)}
            sent={() => {
              goToEnd();
              return again();
            }}
          />
        </>
      )}
    </div>
  );
}

type HeadProps = { id: string; conversation: Conversation | null; first: ListedTurn | undefined };

function Head({ id, conversation, first }: HeadProps) {
  const { forked_from: forkedFrom = null, after_round: round = null } = conversation ?? {};
  return (
    <header class="turn-head">
      <p class="crumbs facts-line">
        <a href="#/conversations">Conversations</a>
        <CopyButton text={() => id} label={`Copy ${id}`}>
          {id}
        </CopyButton>
        <a class="meta" href={listHref({ conversation_id: id })}>
          As a list
        </a>
      </p>
      <h1>{(first && titleOf(first)) || 'Conversation'}</h1>
      {forkedFrom && (
        <p class="meta">
          Forked from <a href={turnHref(forkedFrom)}>another conversation</a>
          {round !== null &&
            (round === 0 ? ', before the first round of its turn' : `, after round ${round} of its turn`)}
        </p>
      )}
      {conversation?.agent && (
        <p class="meta">
          Agent <a href={hrefOfReference(conversation.agent)}>{conversation.agent}</a>
        </p>
      )}
      {conversation?.variables && <VariablesView variables={conversation.variables} />}
    </header>
  );
}

function VariablesView({ variables }: { variables: Record<string, string> }) {
  const pairs = Object.entries(variables);
  if (pairs.length === 0) return null;
  return (
    <section class="metadata" aria-label="Variables">
      <h2>Variables</h2>
      <FactList looks="pairs" facts={pairs.map(([name, value]) => [name, <code key={name}>{value}</code>])} />
    </section>
  );
}

/** A button that reads earlier turns. Scrolling up to it also reads them. */
function Earlier({ cursor, read }: { cursor: string; read: () => Promise<void> }) {
  return (
    <div class="earlier">
      <Edge key={cursor} />
      <ActionButton looks="quiet" work={read}>
        Earlier turns
      </ActionButton>
    </div>
  );
}

/** Presses the adjacent button when a person scrolls up to it. Each cursor has a new edge, and the button stays. */
function Edge() {
  const { place, isNear } = useNear<HTMLSpanElement>();
  useEffect(() => {
    if (isNear && scrollY > 0) place.current?.parentElement?.querySelector('button')?.click();
  }, [isNear, place]);
  return <span ref={place} />;
}

/** The distance from the end of the page within which a person counts as at the end. */
const SLACK_PX = 120;

/**
 * Keeps the scroll position of a person while the element `place` grows. A person at the end of the page stays there.
 * Otherwise the visible text stays while earlier turns appear above it. `goToEnd` scrolls to the end at the next
 * growth.
 */
function useKeptPlace() {
  const place = useRef<HTMLDivElement>(null);
  const below = useRef(0);
  useEffect(() => {
    let first: string | null = null;
    const note = () => {
      below.current = belowNow();
    };
    const keep = () => {
      const now = place.current?.querySelector('.thread-turn')?.getAttribute('data-turn') ?? null;
      if (below.current <= SLACK_PX) scrollTo(0, document.documentElement.scrollHeight);
      else if (now !== first) scrollBy(0, belowNow() - below.current);
      first = now;
      note();
    };
    const observer = new ResizeObserver(keep);
    if (place.current) observer.observe(place.current);
    addEventListener('scroll', note);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', note);
    };
  }, []);
  return {
    place,
    goToEnd: () => {
      below.current = 0;
    },
  };
}

function belowNow(): number {
  return document.documentElement.scrollHeight - scrollY - innerHeight;
}
