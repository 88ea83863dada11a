import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useTitle } from '../base/memo.tsx';
import { Loaded } from '../base/refusal.tsx';
import type { Page } from '../base/turn.ts';
import { type Fresh, useClock } from '../base/use-fresh.ts';
import { queryHref } from '../route.ts';
import { queryWith } from './query-filter.ts';

type ListFrameProps<Item> = {
  section: 'turns' | 'conversations';
  query: URLSearchParams;
  list: Fresh<Page<Item>>;
  /** The name of the search field, and the address that finds a text. */
  find: { name: string; hrefOf: (text: string) => string };
  /** More controls, before the switch of the density. */
  bar?: ComponentChildren;
  filters: ComponentChildren;
  none: ComponentChildren;
  rows: (items: Item[]) => ComponentChildren;
};

const DENSITY = 'pawl.density';

/** A list with its search, density and pages. The browser remembers the density. */
export function ListFrame<Item>({ section, query, list, find, bar, filters, none, rows }: ListFrameProps<Item>) {
  const [density, setDensity] = useState(localStorage.getItem(DENSITY) ?? 'relaxed');
  const field = useRef<HTMLInputElement>(null);
  const isCompact = density === 'compact';
  const title = section === 'turns' ? 'Turns' : 'Conversations';
  const older = list.data?.next_cursor;
  const change = () => {
    const next = isCompact ? 'relaxed' : 'compact';
    localStorage.setItem(DENSITY, next);
    setDensity(next);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    location.hash = find.hrefOf(field.current?.value.trim() ?? '');
  };
  const fixed = { id: 'find', type: 'search', placeholder: 'Words, or an id', spellcheck: false } as const;
  const toPage = (cursor: string) => ({
    class: 'button',
    href: queryHref(queryWith(query, 'cursor', cursor), section),
  });
  useTitle(title);
  useClock(1000);
  return (
    <div class={`stack list ${density}`}>
      <header>
        <h1>{title}</h1>
        <search>
          <form onSubmit={submit}>
            <input {...fixed} ref={field} aria-label={find.name} defaultValue={query.get('q') ?? ''} />
          </form>
        </search>
        <div class="actions">
          {bar}
          <button {...{ type: 'button', class: 'quiet', 'aria-pressed': isCompact, onClick: change }}>Compact</button>
        </div>
        {query.size > 0 && <div class="actions">{filters}</div>}
      </header>
      <Loaded from={list}>{({ data }) => (data.length === 0 ? none : <ol class="rows">{rows(data)}</ol>)}</Loaded>
      <nav class="actions" aria-label="Pages of the list">
        {query.has('cursor') && <a {...toPage('')}>Newest</a>}
        {older && <a {...toPage(older)}>Older</a>}
      </nav>
    </div>
  );
}
