import type { Schedule } from '#client/connect-pawl.ts';
import { ActionButton, notice } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { askFirst } from '../base/dialog.tsx';
import { CodeBlock } from '../base/fact-list.tsx';
import { formatAge, formatDateTime, formatRoundDuration, serverNow } from '../base/time.ts';
import { titleOf, wordsOf } from '../base/words.ts';
import { conversationHref, turnHref } from '../route.ts';

type Props = { schedule: Schedule; refresh: () => Promise<void> };

/** A schedule: its plan, its input, its next times, and its last turns with their outcomes. */
export function ScheduleView({ schedule, refresh }: Props) {
  const { id, enabled, turn, last, conversation_id: conversationId, if_missed: ifMissed } = schedule;
  const input = typeof turn.input === 'string' ? [{ role: 'user' as const, content: turn.input }] : turn.input;
  return (
    <li class="panel schedule">
      <Head schedule={schedule} refresh={refresh} />
      <p class="title">{titleOf({ input })}</p>
      <p class="meta facts-line">
        <code>{id}</code>
        {turn.model && <span>{turn.model}</span>}
        {conversationId && <a href={conversationHref(conversationId)}>In one conversation</a>}
        <span>{ifMissed === 'skip' ? 'Skips missed times' : 'Starts one turn after missed times'}</span>
      </p>
      <NextTimes next={schedule.next} enabled={enabled} />
      <LastTurns last={last} />
      <details class="fold">
        <summary>Turn request</summary>
        <CodeBlock text={JSON.stringify(turn, null, 2)} label={`Turn request of ${id}`} />
      </details>
    </li>
  );
}

function Head({ schedule, refresh }: Props) {
  const { id, enabled } = schedule;
  const change = async () => {
    await call('PATCH', `/v1/schedules/${id}`, { body: { enabled: !enabled } });
    await refresh();
  };
  return (
    <div class="facts-line">
      <h2>{planWords(schedule)}</h2>
      <ActionButton looks="switch" isOn={enabled} work={change}>
        {enabled ? 'Enabled' : 'Disabled'}
      </ActionButton>
      <ActionButton looks="quiet danger" work={() => askDelete(id, refresh)}>
        Delete
      </ActionButton>
    </div>
  );
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** Returns a simple plan in words: `Weekdays at 09:00 · Europe/Zurich`. Other cron expressions stay unchanged. */
function planWords({ cron, time_zone: zone, every_seconds: seconds }: Schedule): string {
  return cron === null ? `Every ${secondsWords(seconds ?? 0)}` : `${cronWords(cron) ?? cron} · ${zone ?? 'UTC'}`;
}

const UNITS: [number, string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

function secondsWords(seconds: number): string {
  const [size, name] = UNITS.find(([unit]) => seconds % unit === 0) ?? [1, 'second'];
  return seconds === size ? name : `${seconds / size} ${name}s`;
}

function cronWords(cron: string): string | null {
  const [minute = '', hour = '', day, month, weekday = ''] = cron.trim().split(/\s+/);
  if (day !== '*' || month !== '*' || !/^\d+$/.test(minute)) return null;
  if (hour === '*' && weekday === '*') return `Every hour at :${minute.padStart(2, '0')}`;
  const days = daysWords(weekday);
  if (!/^\d+$/.test(hour) || days === null) return null;
  return `${days} at ${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
}

function daysWords(weekday: string): string | null {
  if (weekday === '*') return 'Every day';
  if (weekday === '1-5') return 'Weekdays';
  const day = /^\d$/.test(weekday) ? DAYS[Number(weekday)] : undefined;
  return day === undefined ? null : `${day}s`;
}

function NextTimes({ next, enabled }: Pick<Schedule, 'next' | 'enabled'>) {
  const [first, ...later] = next;
  if (!enabled) return <p class="meta">A disabled schedule starts no turns.</p>;
  if (!first) return <p class="meta">The plan has no more times.</p>;
  const ms = Date.parse(first) - serverNow();
  return (
    <p class="facts-line" title={later.map(formatDateTime).join('\n')}>
      <b>Next {ms <= 0 ? 'now' : `in ${formatRoundDuration(Math.ceil(ms / 1_000) * 1_000)}`}</b>
      <span class="meta">{next.slice(0, 3).map(formatDateTime).join(' · ')}</span>
    </p>
  );
}

type Firing = Schedule['last'][number];

/** Returns the outcome of a planned time in words. A turn without a status is deleted. */
function outcomeOf({ error, turn_status: status }: Firing): string {
  return error ? 'Not started' : wordsOf(status ?? 'Deleted');
}

function LastTurns({ last }: Pick<Schedule, 'last'>) {
  if (last.length === 0) return <p class="meta">No turns yet.</p>;
  const counts = [...Map.groupBy(last, outcomeOf)].map(([outcome, { length }]) => `${length} ${outcome.toLowerCase()}`);
  return (
    <>
      <p class="meta">Last turns: {counts.join(', ')}</p>
      <ul class="facts-line firings" aria-label="Last turns">
        {last.map((firing) => (
          <li key={firing.planned_at}>
            <Chip firing={firing} />
          </li>
        ))}
      </ul>
    </>
  );
}

const MARKS: Record<string, string> = {
  ...{ completed: '✓', failed: '✕', incomplete: '!', requires_action: '?', cancelled: '–' },
};

/** A planned time with a link to its turn, in the colour of the outcome. */
function Chip({ firing }: { firing: Firing }) {
  const { planned_at: at, turn_id: turnId, turn_status: status, error } = firing;
  const looks = `badge firing ${error ? 'failed' : (status ?? '')}`;
  const age = formatAge(at);
  const title = `${error?.message ?? outcomeOf(firing)}\n${formatDateTime(at)}`;
  return turnId && status ? (
    <a class={looks} href={turnHref(turnId)} aria-label={`${outcomeOf(firing)}, ${age}`} title={title}>
      {MARKS[status] ?? '•'} {age}
    </a>
  ) : (
    <span class={looks} title={title}>
      {age} <code>{error?.code ?? 'deleted'}</code>
    </span>
  );
}

function askDelete(id: string, refresh: () => Promise<void>) {
  return askFirst({
    title: 'Delete this schedule?',
    body: <p>The schedule starts no more turns. The turns that it has started stay.</p>,
    action: 'Delete it',
    isDanger: true,
    work: async () => {
      await call('DELETE', `/v1/schedules/${id}`);
      notice('Deleted.');
      await refresh();
    },
  });
}
