import type { BulkRequest } from '#client/connect-pawl.ts';
import { ActionButton } from '../base/buttons.tsx';
import { formatDateTime } from '../base/time.ts';
import { formatCount, STATUS_WORDS, wordsOf } from '../base/words.ts';
import { queryHref } from '../route.ts';
import { askBulk } from './bulk.tsx';
import { bulkFilterOf, filterOf, metadataKeyOf, queryWith, statusesOf } from './query-filter.ts';

/** The number of turns with each status. The statuses in `at_least` may have more turns. */
export type TurnCounts = { counts: Record<string, number>; at_least: string[] };

type Query = { query: URLSearchParams };

/** The statuses to choose from, with their counts, and a form for the other filters. */
export function FilterBar({ query, counted }: Query & { counted: TurnCounts | null }) {
  const chosen = statusesOf(query);
  const linkTo = (statuses: string[], isChosen: boolean) => ({
    href: queryHref(queryWith(query, 'status', statuses.join(','))),
    'aria-current': isChosen ? ('true' as const) : undefined,
  });
  return (
    <>
      <nav class="choices" aria-label="Status">
        <a {...linkTo([], chosen.length === 0)}>All</a>
        {Object.entries(STATUS_WORDS).map(([status, words]) => {
          const others = chosen.filter((other) => other !== status);
          const isChosen = others.length < chosen.length;
          const count = counted?.counts[status] ?? 0;
          return (
            <a key={status} {...linkTo(isChosen ? others : [...chosen, status], isChosen)}>
              {words}{' '}
              <span class="meta" data-status={status} aria-hidden="true">
                {count > 0 && `${formatCount(count)}${counted?.at_least.includes(status) ? '+' : ''}`}
              </span>
            </a>
          );
        })}
      </nav>
      <details class="more-filters">
        <summary class="button quiet">Filter</summary>
        <FilterForm query={query} />
      </details>
    </>
  );
}

const FIELDS = [
  { label: 'Model', name: 'model', placeholder: 'openai/gpt-4.1' },
  { label: 'Agent', name: 'agent', placeholder: 'support or support@7' },
  { label: 'Error code', name: 'error_code', placeholder: 'provider_overloaded' },
  { label: 'Created from', name: 'created_after', type: 'datetime-local' as const },
  { label: 'Created before', name: 'created_before', type: 'datetime-local' as const },
];
const PAIR = [
  { label: 'Metadata key', name: 'key', maxLength: 64 },
  { label: 'Metadata value', name: 'value', maxLength: 512 },
];

function FilterForm({ query }: Query) {
  const set = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement)
      location.hash = queryHref(changedBy(new FormData(event.currentTarget), query));
  };
  return (
    <form class="panel" onSubmit={set}>
      {[...FIELDS, ...PAIR].map(({ label, ...field }) => (
        <label key={label}>
          {label}
          <input {...field} defaultValue={shownValue(query, field.name)} spellcheck={false} />
        </label>
      ))}
      <button class="primary" type="submit">
        Show these
      </button>
    </form>
  );
}

function changedBy(form: FormData, query: URLSearchParams) {
  const given = (name: string) => String(form.get(name) ?? '').trim();
  let changed = query;
  for (const { name, type } of FIELDS) {
    const value = given(name);
    // A time field has only minutes. An unchanged time keeps its seconds.
    if (value !== shownValue(query, name))
      changed = queryWith(changed, name, value && type ? new Date(value).toISOString() : value);
  }
  return given('key') ? queryWith(changed, `metadata[${given('key')}]`, given('value')) : changed;
}

/** Returns the value of a field. A time is the local time that the browser requires. */
function shownValue(query: URLSearchParams, name: string) {
  const value = query.get(name) ?? '';
  const at = new Date(value);
  if (!name.startsWith('created_')) return value;
  if (Number.isNaN(at.getTime())) return '';
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const FILTER_WORDS: Record<string, string> = {
  ...{ q: 'contains', created_after: 'from', created_before: 'before', conversation_id: 'conversation' },
};

/** The filters of a list except its statuses, each with a link to the list without it. */
export function FilterChips({ query, section }: Query & { section?: 'turns' | 'conversations' }) {
  const chips = [...filterOf(query)].map(([name, value]) => {
    const key = metadataKeyOf(name);
    const words = key === undefined ? (FILTER_WORDS[name] ?? wordsOf(name)) : `${key} is`;
    const isTime = name.startsWith('created_') && !Number.isNaN(Date.parse(value));
    const drop = {
      href: queryHref(queryWith(query, name, ''), section),
      'aria-label': `Drop the filter: ${words} ${value}`,
    };
    return (
      <li key={name}>
        {words} <b>{isTime ? formatDateTime(value) : value}</b> <a {...drop}>×</a>
      </li>
    );
  });
  return chips.length > 0 && <ul {...{ class: 'chips', 'aria-label': 'Filters' }}>{chips}</ul>;
}

/**
 * The actions on all turns of a filtered list. The chosen statuses decide which actions are shown. `refresh` reads
 * the list again.
 */
export function BulkButtons({ query, refresh }: Query & { refresh: () => Promise<void> }) {
  const filter = bulkFilterOf(query);
  const chosen = statusesOf(query);
  const may = (statuses: string[]) => chosen.length === 0 || chosen.some((status) => statuses.includes(status));
  const actions: [BulkRequest['action'], string, boolean][] = [
    ['retry', 'Retry all', chosen.join() === 'failed'],
    ['cancel', 'Cancel all', may(['queued', 'in_progress', 'requires_action'])],
    ['delete', 'Delete all', may(['completed', 'incomplete', 'failed', 'cancelled'])],
  ];
  if (Object.keys(filter).length === 0) return null;
  const buttons = actions.map(([action, name, isShown]) => {
    const work = () => askBulk({ action, filter }, 'turns').then(refresh);
    return isShown && <ActionButton {...{ looks: 'quiet', work, children: name }} key={action} />;
  });
  return <div class="actions">{buttons}</div>;
}
