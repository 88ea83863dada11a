import { call } from '../base/call.ts';
import { Age } from '../base/fact-list.tsx';
import { Empty } from '../base/refusal.tsx';
import type { Conversation, ListedTurn, Page } from '../base/turn.ts';
import { useFresh } from '../base/use-fresh.ts';
import { wordsOf } from '../base/words.ts';
import { conversationHref, listHref, queryHref, type Route, turnHref, turnIdOf } from '../route.ts';
import { BulkButtons, FilterBar, FilterChips, type TurnCounts } from './filter-bar.tsx';
import { ListFrame } from './list-frame.tsx';
import { filterOf, queryWith, statusesOf } from './query-filter.ts';
import { TurnCells, TurnRows } from './turn-rows.tsx';

const FIND_TURNS = 'Find turns by their words, or a turn, a response or a conversation by its id';

/** An id of any kind that names a turn. */
const ID = /^(?:turn|resp|msg|fc|rs|mcp\w*)_\S+$/;

/** The list of turns, newest first. All its filters are in the address, so that a person can share it. */
export function ListPage({ query }: Route) {
  const paths = { list: `/v1/turns?${query}`, counts: `/v1/statistics/turns?${filterOf(query)}` };
  const list = useFresh((signal) => call<Page<ListedTurn>>('GET', paths.list, { signal }), { everyMs: 3_000 });
  const counts = useFresh((signal) => call<TurnCounts>('GET', paths.counts, { signal }), { everyMs: 10_000 });
  const again = async () => {
    await Promise.all([list.again(), counts.again()]);
  };
  return (
    <ListFrame
      section="turns"
      query={query}
      list={{ ...list, again }}
      find={{ name: FIND_TURNS, hrefOf: (text) => foundHref(query, text) }}
      bar={<FilterBar query={query} counted={counts.data} />}
      filters={[<FilterChips key="chips" query={query} />, <BulkButtons key="bulk" query={query} refresh={again} />]}
      none={<NoTurns query={query} />}
      rows={(turns) => <TurnRows turns={turns} />}
    />
  );
}

function foundHref(query: URLSearchParams, text: string) {
  if (text.startsWith('conv_')) return listHref({ conversation_id: text });
  return ID.test(text) ? turnHref(turnIdOf(text)) : queryHref(queryWith(query, 'q', text));
}

const ABOUT = 'A turn is one input and the work until its answer. Pawl saves every step.';

function NoTurns({ query }: { query: URLSearchParams }) {
  if (query.size === 0) return <Empty title="No turns yet" text={ABOUT} href="#/new" action="Start a turn" />;
  const filters = [...filterOf(query).keys()];
  const turns = `${query.has('cursor') ? 'older ' : ''}${namedTurns(statusesOf(query))}`;
  const inConversation = filters.includes('conversation_id') ? ' in this conversation' : '';
  const matching = filters.some((name) => name !== 'conversation_id') ? ' that match' : '';
  return <Empty title={`No ${turns}${inConversation}${matching}`} href={listHref({})} action="Show all turns" />;
}

function namedTurns(statuses: string[]) {
  if (statuses.length === 0) return 'turns';
  if (statuses.join() === 'requires_action') return 'turns that require action';
  return `${statuses.map((status) => wordsOf(status).toLowerCase()).join(' or ')} turns`;
}

type Listed = Conversation & { latest_turn: ListedTurn | null };

const FIND_CONVERSATIONS = 'Find conversations by the words of their turns, or a conversation by its id';
const NO_CONVERSATIONS = { title: 'No conversations yet', text: 'Each turn belongs to a conversation.' };
const NO_MATCH = { title: 'No conversations that match', href: '#/conversations', action: 'Show all conversations' };

/** The list of conversations, newest first, each with its latest turn. */
export function ConversationsPage({ query }: Route) {
  const path = `/v1/conversations?${new URLSearchParams([...query, ['include', 'latest_turn']])}`;
  const list = useFresh((signal) => call<Page<Listed>>('GET', path, { signal }), { everyMs: 5_000 });
  const hrefOf = (text: string) =>
    text.startsWith('conv_') ? conversationHref(text) : queryHref(queryWith(query, 'q', text), 'conversations');
  return (
    <ListFrame
      section="conversations"
      query={query}
      list={list}
      find={{ name: FIND_CONVERSATIONS, hrefOf }}
      filters={<FilterChips query={query} section="conversations" />}
      none={
        query.size > 0 ? (
          <Empty {...NO_MATCH} />
        ) : (
          <Empty {...NO_CONVERSATIONS} href="#/new" action="Start a conversation" />
        )
      }
      rows={(conversations) =>
        conversations.map(({ id, created_at: createdAt, latest_turn: latest }) => (
          <li key={id}>
            <a class="row" href={conversationHref(id)}>
              <TurnCells turns={latest ? [latest] : []} />
              {latest === null && <span class="meta">No turns</span>}
              {latest === null && <span class="title">{id}</span>}
              {latest === null && <Age at={createdAt} />}
            </a>
          </li>
        ))
      }
    />
  );
}
