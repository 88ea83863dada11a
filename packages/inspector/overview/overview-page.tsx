import { useRef } from 'preact/hooks';
import type { Statistics, UsageRow } from '#client/connect-pawl.ts';
import { ActionButton, notice } from '../base/buttons.tsx';
import { pawl } from '../base/call.ts';
import { Age, scrollable } from '../base/fact-list.tsx';
import { useTitle } from '../base/memo.tsx';
import { Empty, Loaded } from '../base/refusal.tsx';
import { Table } from '../base/table.tsx';
import { serverNow } from '../base/time.ts';
import { useClock, useFresh } from '../base/use-fresh.ts';
import { formatCount, formatShare, formatUsd } from '../base/words.ts';
import { askBulk } from '../list/bulk.tsx';
import { queryWith } from '../list/query-filter.ts';
import { listHref, queryHref, type Route, turnHref } from '../route.ts';
import { type Bucket, ChartCards } from './chart-cards.tsx';
import { statisticsCards, turnsOf } from './statistics-cards.ts';

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const HOUR = 60 * MINUTE;

const DAY = { name: '24h', words: '24 hours', ms: 24 * HOUR, bucketMs: 30 * MINUTE };
const WEEK = { name: '7d', words: '7 days', ms: 7 * 24 * HOUR, bucketMs: 4 * HOUR };

/** The ranges to choose from. Hours and days consist of whole buckets. */
const RANGES = [
  { name: '15m', words: '15 minutes', ms: QUARTER, bucketMs: QUARTER / 60 },
  { name: '1h', words: '1 hour', ms: HOUR, bucketMs: MINUTE },
  { name: '6h', words: '6 hours', ms: 6 * HOUR, bucketMs: 10 * MINUTE },
  ...[DAY, WEEK],
];

type Range = typeof DAY;

type Read = { range: Range; statistics: Statistics; usage: UsageRow[] };

const AGAIN_MS = 10_000;

/** Between two readings the database rests this many times as long as the last reading took. */
const REST = 20;

/** The turns of a period: figures, charts, failures and usage. The address may name a range and a project. */
export function OverviewPage({ query }: Route) {
  const project = query.get('project');
  const kept = useRef({ range: RANGES.find(({ name }) => name === query.get('range')), restsUntil: 0 });
  const read = async (signal: AbortSignal): Promise<Read> => {
    const startedAt = performance.now();
    const { range: chosen } = kept.current;
    const { range, statistics } = chosen
      ? { range: chosen, statistics: await readStatistics(chosen, project, signal) }
      : await readFitting(project, signal);
    const usage = await readUsage(statistics, signal);
    const restsUntil = performance.now() + (performance.now() - startedAt) * REST;
    kept.current = { range: turnsOf(statistics) > 0 ? range : kept.current.range, restsUntil };
    return { range, statistics, usage };
  };
  // A chart that a person points at does not change.
  const mayRead = () => performance.now() >= kept.current.restsUntil && document.querySelector('.pointed') === null;
  const fresh = useFresh(read, { everyMs: AGAIN_MS, mayRead });
  useTitle('Overview');
  return (
    <>
      <OverviewHead query={query} range={fresh.data?.range} usage={fresh.data?.usage ?? []} />
      <Loaded from={fresh}>{(read) => <Figures {...read} project={project} refresh={fresh.again} />}</Loaded>
    </>
  );
}

/** Reads the shortest range that has all turns of the last day, or else the longest range. */
async function readFitting(project: string | null, signal: AbortSignal, range = DAY): Promise<Omit<Read, 'usage'>> {
  const statistics = await readStatistics(range, project, signal);
  const oldest = statistics.buckets.find((bucket) => turnsOf(bucket) > 0);
  const age = serverNow() - Date.parse(oldest?.from ?? '');
  const fitting = RANGES.find(({ ms, bucketMs }) => ms < range.ms && ms - bucketMs >= age) ?? range;
  const next = oldest || range !== DAY ? fitting : WEEK;
  return next === range ? { range, statistics } : readFitting(project, signal, next);
}

/** Reads statistics until the end of the current bucket, so that bars keep their position. */
function readStatistics({ ms, bucketMs }: Range, project: string | null, signal: AbortSignal): Promise<Statistics> {
  const offset = new Date(serverNow()).getTimezoneOffset() * MINUTE;
  const to = Math.ceil((serverNow() - offset) / bucketMs) * bucketMs + offset;
  const times = { from: new Date(to - ms).toISOString(), to: new Date(to).toISOString() };
  return pawl.statistics({ ...times, buckets: ms / bucketMs, ...(project !== null && { project }) }, { signal });
}

/** Reads usage from the start of a quarter of an hour, since the API sums usage by quarters. */
function readUsage({ from, to }: Bucket, signal: AbortSignal): Promise<UsageRow[]> {
  const quarter = new Date(Math.floor(Date.parse(from) / QUARTER) * QUARTER).toISOString();
  return pawl.usage.get({ from: quarter, to, groupBy: ['project', 'model'], signal });
}

type OverviewHeadProps = { query: URLSearchParams; range: Range | undefined; usage: UsageRow[] };

function OverviewHead({ query, range, usage }: OverviewHeadProps) {
  const hrefWith = (name: string, value: string) => queryHref(queryWith(query, name, value), 'overview');
  const project = query.get('project') ?? '';
  const named = project === '' || project === '*' ? [] : [project];
  const projects = [...new Set([...usage.map((row) => row.project ?? ''), ...named])].sort();
  const options = [['', 'This project'], ['*', 'All projects'], ...projects.map((name) => [name, name])];
  const choose = (event: Event & { currentTarget: HTMLSelectElement }) => {
    location.hash = hrefWith('project', event.currentTarget.value);
  };
  return (
    <header class="actions overview-head">
      <h1>Overview</h1>
      {(projects.length > 1 || project !== '') && (
        <select aria-label="Project" value={project} onChange={choose}>
          {options.map(([value, words]) => (
            <option key={value} {...{ value }}>
              {words}
            </option>
          ))}
        </select>
      )}
      <nav class="choices" aria-label="Range of time">
        {RANGES.map(({ name, words }) => (
          <a key={name} href={hrefWith('range', name)} aria-current={name === range?.name ? 'true' : undefined}>
            {words}
          </a>
        ))}
      </nav>
    </header>
  );
}

const PRECISIONS = {
  exact: null,
  sampled: 'Pawl read the newest turns of each bar and estimated the others from these.',
  at_least: 'Pawl does not count all turns of busy bars. Their figures are a lower bound.',
};

const NONE = { title: 'No turns in this period', text: 'Choose a longer period, or start a turn.' };

type FiguresProps = Read & { project: string | null; refresh: () => Promise<void> };

function Figures({ statistics, usage, project, refresh }: FiguresProps) {
  const open = ({ from, to }: Bucket) => {
    if (project === null) location.hash = listHref({ created_after: from, created_before: to });
    else notice('The list shows only turns of your key’s project.');
  };
  const rows = usage.filter((row) => project === null || project === '*' || row.project === project);
  const usd = rows.reduce((sum, row) => sum + (row.cost_usd ?? 0), 0);
  if (turnsOf(statistics) === 0) return <Empty {...NONE} href="#/new" action="Start a turn" />;
  return (
    <>
      <ChartCards buckets={statistics.buckets} cards={statisticsCards(statistics, usd)} open={open} />
      <p class="hint">{PRECISIONS[statistics.precision]}</p>
      <FailureGroups statistics={statistics} isOwn={project === null} refresh={refresh} />
      <UsageTable rows={rows} />
    </>
  );
}

type FailureGroupsProps = { statistics: Statistics; isOwn: boolean; refresh: () => Promise<void> };

/**
 * Failed turns by error code, each with its newest turn. Without `isOwn` the turns may belong to another project, and
 * the key cannot open or retry them.
 */
function FailureGroups({ statistics: { failures, from, to }, isOwn, refresh }: FailureGroupsProps) {
  useClock(1000);
  if (failures.length === 0) return <p class="meta">No failed turns in this period.</p>;
  const groups = failures.map(({ error_code: code, turns, precision, example }) => {
    const filter = { status: 'failed', error_code: code, created_after: from, created_before: to };
    const retry = () => askBulk({ action: 'retry', filter }, 'failed turns').then(refresh);
    const about = [<code key="code">{code}</code>, <span key="message">{example.message}</span>];
    return (
      <li key={code} class="row">
        <b>{`${precision === 'exact' ? '' : '≥ '}${formatCount(turns)}`}</b>
        {isOwn ? <a {...{ class: 'example', href: turnHref(example.turn_id) }}>{about}</a> : <div>{about}</div>}
        <Age at={example.created_at} />
        {isOwn ? (
          <div class="actions">
            <a {...{ class: 'button quiet', href: listHref(filter) }}>Show all</a>
            <ActionButton {...{ looks: 'quiet', label: `Retry all: ${code}`, work: retry }}>Retry all</ActionButton>
          </div>
        ) : (
          <span class="meta">{example.project}</span>
        )}
      </li>
    );
  });
  return (
    <section class="failures" aria-label="Failures">
      <h2>Failures</h2>
      <ol class="rows">{groups}</ol>
    </section>
  );
}

const USAGE_COLUMNS: [string, (row: UsageRow) => string][] = [
  ['Turns', ({ turns }) => formatCount(turns)],
  ['Rounds', ({ rounds }) => formatCount(rounds)],
  ['Tool calls', ({ tool_calls: calls }) => formatCount(calls)],
  ['Tokens in', ({ input_tokens: taken }) => formatCount(taken)],
  ['From cache', (row) => (row.cached_input_tokens > 0 ? formatShare(row) : '–')],
  ['Tokens out', ({ output_tokens: given }) => formatCount(given)],
  ['Cost', ({ cost_usd: usd }) => (usd === null ? '–' : formatUsd(usd))],
];

/** The usage of each model, and of each project if there are several. */
function UsageTable({ rows }: { rows: UsageRow[] }) {
  const hasProjects = rows.some(({ project }) => project !== rows[0]?.project);
  const nameOf = ({ model, project }: UsageRow) => (hasProjects ? `${model} · ${project}` : `${model}`);
  return (
    <section class="usage" {...scrollable('Usage by model')}>
      <Table rows={rows} keyOf={nameOf} columns={[['Model', nameOf], ...USAGE_COLUMNS]} />
    </section>
  );
}
