import type { ComponentChildren } from 'preact';
import { inOrder } from '../base/memo.tsx';
import { Fold } from '../base/refusal.tsx';
import { formatDuration, formatRoundDuration, formatTimeOfDay, msBetween } from '../base/time.ts';
import type { Round } from '../base/turn.ts';
import { formatCount, formatShare, formatTokens, formatUsd, inOneLine, wordsOf } from '../base/words.ts';
import { AnswerContent } from '../content/answer-content.tsx';
import { ContentView } from '../content/part-view.tsx';
import { SourcesView } from '../content/sources-view.tsx';
import { SentFold } from '../turn/sent-fold.tsx';
import { NOTHING_LIVE } from '../watch/live-turn.ts';
import type { KnownTurn } from '../watch/watched-turn.ts';
import { type Bar, Took, Track } from './bars.tsx';
import { BatchView } from './call-view.tsx';
import { HostedCalls } from './hosted-calls.tsx';
import type { Compaction, Entry, EventOf } from './timeline-entries.ts';

type Of<Kind extends Entry['kind']> = Extract<Entry, { kind: Kind }>;

/** An entry in words. `timed` are the bars of its duration, by default the last bar. */
type Item = {
  looks?: string;
  title: string;
  meta?: string;
  error?: { code: string; message: string } | null;
  timed?: Bar[];
  children?: ComponentChildren;
};

/** One entry of a timeline: its title, a line of text, its bars, and its content. */
export function EntryView({ entry, watched }: { entry: Entry; watched: KnownTurn }) {
  const { bars } = entry;
  if (entry.kind === 'batch') return <BatchView round={entry.round} calls={entry.calls} watched={watched} />;
  const { looks = '', title, meta, error, timed = bars.slice(-1), children } = itemOf(entry, watched);
  return (
    <li class={`entry ${looks}`}>
      <div class="line">
        <div class="what">
          <h3>{title}</h3>
          {meta && <span class="meta">{meta}</span>}
        </div>
        <Track bars={bars} />
        <Took bars={timed} />
      </div>
      {error && (
        <p class="said">
          <code>{error.code}</code> {error.message}
        </p>
      )}
      {children}
    </li>
  );
}

function itemOf(entry: Exclude<Entry, { kind: 'batch' }>, watched: KnownTurn): Item {
  switch (entry.kind) {
    case 'event':
      return eventItem(entry);
    case 'queued':
      return { looks: 'now', title: 'Queued', timed: entry.bars };
    case 'round':
      return roundItem(entry, watched.turn);
    case 'running':
      return runningItem(entry, watched);
    case 'compacted':
      return compactedItem(entry);
    case 'attempts':
      return attemptsItem(entry, watched);
    case 'waiting':
      return waitingItem(entry);
    case 'idle':
      return { looks: 'gap', title: 'The turn waited for a worker', meta: 'a worker was lost, or all were busy' };
    case 'lost': {
      const title = entry.runs === 1 ? 'A worker was lost' : `${entry.runs} workers were lost`;
      const words = `Another worker continued with round ${entry.round} from the last checkpoint. It repeated no earlier work.`;
      return { looks: 'bad gap', title, children: <p class="said">{words}</p> };
    }
  }
}

const TIER_CHANGES = {
  refused: 'the provider lacks capacity',
  deadline: 'the deadline is near',
  waited: 'it reached its maximum wait',
};

function eventItem({ event, bars }: Of<'event'>): Item {
  const at = formatTimeOfDay(event.created_at);
  switch (event.type) {
    case 'turn.started':
      return { title: 'Started', meta: at, timed: bars };
    case 'turn.resumed':
      return { title: 'Resumed', meta: `from its last checkpoint · ${at}` };
    case 'turn.failed':
      return { looks: 'bad', title: 'Failed', meta: at, error: event.turn.error };
    case 'input.added': {
      const children = inOrder(event.input, ({ content }) => <ContentView content={content} />);
      return { looks: 'joined', title: 'An input joined', meta: at, children };
    }
    case 'step.retrying': {
      const meta = `next attempt after ${formatDuration(event.retry_in_ms)}`;
      return { looks: 'bad', title: `An attempt at ${workOf(event)} failed`, meta, error: event.error };
    }
    case 'model.changed': {
      const { error, from, to } = event;
      return { looks: 'bad', title: `${from} cannot answer`, meta: `Pawl asks ${to} instead`, error };
    }
    case 'tier.changed': {
      const { from, to, because } = event;
      const isFailed = from === 'batch' && because === 'refused';
      const why = isFailed ? 'its results have failed three times' : TIER_CHANGES[because];
      const title = `The round leaves the tier ${from}: ${why}`;
      return { title, meta: `Pawl asks on ${to} instead` };
    }
    default: {
      const status = event.type.replace('turn.', '');
      return { looks: status, title: wordsOf(status), meta: at };
    }
  }
}

function waitingItem({ until, event }: Of<'waiting'>): Item {
  const { approvals, tool_outputs: outputs } = event.required_action;
  const whom = [approvals.length > 0 && 'a person', outputs.length > 0 && 'the client'].filter(Boolean).join(' and ');
  if (until === null) return { looks: 'waiting now', title: `Waits for ${whom}`, meta: 'occupies no worker' };
  const lasted = formatDuration(msBetween(event.created_at, until));
  return { looks: 'waiting', title: `Waited for ${whom}`, meta: `${lasted}, occupied no worker` };
}

/** Returns a committed round with its text and figures, and with its model if the turn asked for another. */
function roundItem({ round, bars, isJoined }: Of<'round'>, turn: KnownTurn['turn']): Item {
  const { number, assistant_response: text, tool_calls: calls, hosted_calls: hosted } = round;
  const next = isJoined
    ? 'An input joined during this round, so the turn continues with it.'
    : 'This answer does not match the output schema, so the model repairs it.';
  const figures = [round.model !== turn.model && round.model, ...figuresOf(round, bars)];
  const children = (
    <>
      <HostedCalls calls={hosted} />
      {(text !== null || calls.length > 0) && <RoundText round={round} />}
      {calls.length === 0 && <p class="hint">{text ? next : 'The answer above is the text of this round.'}</p>}
      <SentFold turnId={turn.id} round={number} />
    </>
  );
  return { looks: 'checkpoint', title: `Round ${number}`, meta: inOneLine(figures), children };
}

/** The text of a round as the model wrote it, or with its images in order. */
function RoundText({
  round: { assistant_response: text, output_parts: parts, output_annotations: annotations },
}: {
  round: Round;
}) {
  if (parts) return <AnswerContent text={text} parts={parts} annotations={annotations} />;
  return (
    <>
      {text && <p class="said">{text}</p>}
      <SourcesView annotations={annotations} />
    </>
  );
}

function figuresOf({ usage, service_tier: tier, finish_reason: reason, ...round }: Round, bars: Bar[]) {
  const wait = bars.find(({ kind }) => kind === 'wait');
  return [
    round.attempts > 1 && `attempt ${round.attempts}`,
    usage && `tokens ${formatTokens(usage)}`,
    usage && usage.cached_input_tokens > 0 && `${formatShare(usage)} from cache`,
    usage?.cost_usd != null && formatUsd(usage.cost_usd),
    tier && tier !== 'default' && tier !== 'standard' && `tier ${tier}`,
    reason !== 'stop' && round.tool_calls.length === 0 && reason,
    wait?.to && `queued ${formatDuration(wait.to - wait.from)}`,
    `checkpoint ${formatTimeOfDay(round.completed_at)}`,
  ];
}

/** Returns the running round. Its text grows in one element, so that a person can read and select it. */
function runningItem({ round, bars }: Of<'running'>, { live }: KnownTurn): Item {
  const { text, reasoning, hosted, attempt } = live.round === round ? live : NOTHING_LIVE;
  const pause = bars.find(({ kind }) => kind === 'pause');
  const again = pause?.to ? ` again after a pause of ${formatDuration(pause.to - pause.from)}` : '';
  const children = (
    <>
      <p class="said thought">{reasoning}</p>
      <HostedCalls calls={hosted} />
      <p class="said streaming">{text}</p>
    </>
  );
  const meta = `asks the model${again}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
  return { looks: 'now', title: `Round ${round}`, meta, children };
}

/** Returns the compaction of the history before a round. Its summary is folded below. */
function compactedItem({ event, made }: Of<'compacted'>): Item {
  const { round, before_tokens: before, after_tokens: after, created_at: at } = event;
  const tokens = `${formatCount(before)} → ${formatCount(after)} tokens`;
  const meta = `${tokens} · from round ${round} on · checkpoint ${formatTimeOfDay(at)}`;
  return { looks: 'checkpoint', title: 'History was compacted here', meta, children: made && replacementOf(made) };
}

function replacementOf({ strategy, summary, model }: Compaction) {
  if (strategy === 'drop_tool_results') return <p class="hint">A note replaces the results of older calls.</p>;
  if (summary === null) return <p class="hint">The summary was deleted, since a part of its history was deleted.</p>;
  return (
    <details class="instead">
      <summary>Summary by {model}, sent instead</summary>
      <p class="said">{summary}</p>
    </details>
  );
}

/** Folds equal failed attempts into one entry, which opens to each attempt. */
function attemptsItem({ tried, bars }: Of<'attempts'>, watched: KnownTurn): Item {
  const [{ event }] = tried;
  return {
    looks: 'bad',
    title: `${tried.length} attempts at ${workOf(event)} failed`,
    meta: pausesOf(tried.map((one) => one.event.retry_in_ms)),
    error: event.error,
    timed: bars.filter(({ kind }) => kind === 'lost'),
    children: (
      <Fold looks="instead" title="Show each attempt">
        {() => (
          <ol>
            {tried.map((entry) => (
              <EntryView key={entry.event.id} entry={entry} watched={watched} />
            ))}
          </ol>
        )}
      </Fold>
    ),
  };
}

/** Formats pauses. Pauses that differ by jitter, up to a tenth, count as equal. */
function pausesOf(pauses: number[]): string {
  const seconds = pauses.map((ms) => (ms < 1_000 ? ms : Math.round(ms / 1_000) * 1_000));
  const [least, most] = [Math.min(...seconds), Math.max(...seconds)];
  if (most * 0.9 <= least) return `each after ${formatRoundDuration(most)}`;
  return `after ${formatRoundDuration(least)} to ${formatRoundDuration(most)}`;
}

function workOf({ round, phase }: EventOf<'step.retrying'>): string {
  return phase === 'tool_batch' ? `batch ${round}` : `round ${round}`;
}
