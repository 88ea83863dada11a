import { call } from '../base/call.ts';
import { Age } from '../base/fact-list.tsx';
import { Empty } from '../base/refusal.tsx';
import type { Conversation, ListedTurn, Page } from '../base/turn.ts';
import { useFresh } from '../base/use-fresh.ts';
import { conversationHref, queryHref, type Route } from '../route.ts';
import { FilterChips } from './filter-bar.tsx';
import { ListFrame } from './list-frame.tsx';
import { queryWith } from './query-filter.ts';
import { TurnCells } from './turn-rows.tsx';

type Listed = Conversation & { latest_turn: ListedTurn | null };

const FIND = 'Find conversations by the words of their turns, or a conversation by its id';
const NONE = { title: 'No conversations yet', text: 'Each turn belongs to a conversation.' };
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
      find={{ name: FIND, hrefOf }}
      filters={<FilterChips query={query} section="conversations" />}
      none={query.size > 0 ? <Empty {...NO_MATCH} /> : <Empty {...NONE} href="#/new" action="Start a conversation" />}
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
