import { Memo } from '../base/memo.tsx';
import { Fold } from '../base/refusal.tsx';
import { formatDuration, formatRoundDuration, serverNow } from '../base/time.ts';
import { useClock } from '../base/use-fresh.ts';
import { countOf, inOneLine } from '../base/words.ts';
import type { KnownTurn } from '../watch/watched-turn.ts';
import { coveredMs, type Place, type Span, shorten, ticksOf } from './axis.ts';
import { BAR_WORDS, type Bar, Drawn, Total } from './bars.tsx';
import { EntryView } from './entry-views.tsx';
import { type Entry, timelineEntries } from './timeline-entries.ts';

/** The steps in which the axis grows. The browser lays out all bars again after each step. */
const TICK_MS = 200;

/** The timeline of a turn: a legend that sums up its time, an axis, and the rail of its entries. */
export function Timeline({ watched }: { watched: KnownTurn }) {
  const { created_at: createdAt, completed_at: completedAt } = watched.turn;
  useClock(completedAt === null ? TICK_MS : null);
  const { entries, position } = timelineEntries(watched);
  const now = completedAt === null ? Math.ceil(serverNow() / TICK_MS) * TICK_MS : Date.parse(completedAt);
  const total = Math.max(position(now), 1);
  const bars = entries.flatMap((entry) => entry.bars);
  const place = shorten(spansOf(bars, 'pause', total), total);
  return (
    <section class="timeline" aria-label="Timeline" style={{ '--total': place(total) }}>
      <h2>Timeline</h2>
      <Legend bars={bars} total={total} elapsed={now - Date.parse(createdAt)} place={place} />
      <div class="line axis" aria-hidden="true">
        <div class="ticks">
          {ticksOf(total, place).map((at) => (
            <span key={at} style={{ '--from': place(at) }}>
              {at < 1 ? '0' : formatRoundDuration(at)}
            </span>
          ))}
        </div>
      </div>
      <Drawn.Provider value={place}>
        <Total.Provider value={total}>
          <Rail entries={entries} watched={watched} />
        </Total.Provider>
      </Drawn.Provider>
    </section>
  );
}

function spansOf(bars: Bar[], kind: string, total: number): Span[] {
  return bars.filter((bar) => bar.kind === kind).map(({ from, to }) => ({ from, to: to ?? total }));
}

type LegendProps = { bars: Bar[]; total: number; elapsed: number; place: Place };

function Legend({ bars, total, elapsed, place }: LegendProps) {
  const isShorter = place(total) < total * 0.75;
  return (
    <div class="legend facts-line">
      {(['wait', 'model', 'tool', 'person', 'pause', 'lost'] as const).map((kind) => {
        // The axis stops while the turn requires action. That time is the wait for an answer.
        const ms = coveredMs(spansOf(bars, kind, total)) + (kind === 'person' ? elapsed - total : 0);
        if (ms < 1) return null;
        return (
          <span key={kind}>
            <i class={`bar ${kind}`} />
            {`${BAR_WORDS[kind]} ${formatDuration(ms)}${kind === 'pause' && isShorter ? ', drawn shorter' : ''}`}
          </span>
        );
      })}
    </div>
  );
}

/** A turn of more rounds shows the first and the last rounds, and folds the rounds between. */
const FEW = 12;
const FIRST = 3;
const LAST = 5;

type RailProps = { entries: Entry[]; watched: KnownTurn };

function Rail({ entries, watched }: RailProps) {
  const rounds = entries.flatMap(({ kind }, index) => (kind === 'round' ? [index] : []));
  const isLong = rounds.length > FEW;
  const from = isLong ? endOf(entries, rounds[FIRST - 1] ?? 0) : entries.length;
  const to = isLong ? endOf(entries, rounds.at(-LAST - 1) ?? 0) : entries.length;
  const rows = (part: Entry[], start: number) =>
    part.map((entry, index) => {
      const live = entry.kind === 'running' || entry.kind === 'batch' ? watched.live : null;
      return (
        <Memo key={keyOf(entry, start + index)} state={[entry, live, watched.response?.output]}>
          {() => <EntryView entry={entry} watched={watched} />}
        </Memo>
      );
    });
  return (
    <ol>
      {rows(entries.slice(0, from), 0)}
      {isLong && (
        <li key="folded" class="entry folded">
          <Fold title={summaryOf(entries.slice(from, to))}>{() => <ol>{rows(entries.slice(from, to), from)}</ol>}</Fold>
        </li>
      )}
      {rows(entries.slice(to), to)}
    </ol>
  );
}

function endOf(entries: Entry[], round: number): number {
  const next = entries.findIndex(({ kind }, index) => index > round && kind !== 'batch' && kind !== 'idle');
  return entries[next - 1]?.kind === 'idle' ? next - 1 : next;
}

function keyOf(entry: Entry, index: number): string {
  switch (entry.kind) {
    case 'round':
      return `round-${entry.round.number}`;
    case 'batch':
      return `batch-${entry.round}`;
    case 'running':
      // Each attempt has a separate element with its own bars.
      return `running-${entry.round}-${entry.bars[0]?.from}`;
    case 'attempts':
      return `attempts-${entry.tried[0].event.id}`;
    default:
      return 'event' in entry ? entry.event.id : `${entry.kind}-${index}`;
  }
}

function isInterruption(entry: Entry): boolean {
  if (entry.kind === 'event') return entry.event.type !== 'input.added';
  return !['round', 'batch', 'compacted'].includes(entry.kind);
}

function summaryOf(entries: Entry[]): string {
  const numbers = entries.flatMap((entry) => (entry.kind === 'round' ? [entry.round.number] : []));
  const calls = entries.reduce((sum, entry) => sum + (entry.kind === 'batch' ? entry.calls.length : 0), 0);
  const others = entries.filter(isInterruption).length;
  return inOneLine([
    `Rounds ${numbers[0]} to ${numbers.at(-1)}`,
    calls > 0 && countOf(calls, 'tool call'),
    others > 0 && countOf(others, 'interruption'),
  ]);
}
