import { useLayoutEffect } from 'preact/hooks';
import { ActionButton, notice } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { CodeBlock, StatusBadge, scrollable } from '../base/fact-list.tsx';
import { useTitle } from '../base/memo.tsx';
import { Refusal, Skeleton } from '../base/refusal.tsx';
import { formatTimeOfDay } from '../base/time.ts';
import type { Chain, Delivery } from '../base/turn.ts';
import { useFresh } from '../base/use-fresh.ts';
import { countOf, formatCount, inOneLine, titleOf } from '../base/words.ts';
import { AnswerContent } from '../content/answer-content.tsx';
import { type Route, turnHref, turnIdOf } from '../route.ts';
import { requestOf } from '../start/turn-request.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { type KnownTurn, useWatched } from '../watch/watched-turn.ts';
import { AnswerForms } from './answer-form.tsx';
import { InputView } from './input-view.tsx';
import { CurlFold, RawFold } from './raw-folds.tsx';
import { ConfigFold } from './sent-fold.tsx';
import { TroubleView } from './trouble-view.tsx';
import { MetadataView, TurnFacts, TurnHead } from './turn-head.tsx';
import { WaitingView } from './waiting-view.tsx';

export function TurnPage({ id }: Route) {
  const { watched, refresh } = useWatched(id);
  // No event of a turn announces a later turn of its chain.
  const path = `/v1/turns/${encodeURIComponent(id)}/chain`;
  const { data: chain, ...unread } = useFresh((signal) => call<Chain>('GET', path, { signal }), { everyMs: 5_000 });
  const { turn, readError, followError } = watched;
  const refused = readError ?? followError ?? (chain ? null : unread.refused);
  const title = turn ? titleOf(turn) : 'Turn';
  useTitle(title);
  const again = () => {
    refresh();
    return unread.again();
  };
  return (
    <>
      {turn === null && <h1>Turn</h1>}
      <Refusal refused={refused} again={again} />
      {turn === null && refused === null && <Skeleton />}
      {turn && <TurnView watched={{ ...watched, turn }} chain={chain} refresh={refresh} />}
    </>
  );
}

type ViewProps = { watched: KnownTurn; chain: Chain | null; refresh: () => void };

function TurnView({ watched, chain, refresh }: ViewProps) {
  const { turn, conversation, rounds, events, deliveries, response, responseInput, isConnected } = watched;
  useEnd(turn.completed_at === null);
  return (
    <>
      <TurnHead turn={turn} refresh={refresh} />
      {!isConnected && (
        <p class="panel trouble" role="status">
          The connection was lost. This page can be out of date. It connects again automatically.
        </p>
      )}
      <WaitingView waiting={turn.waiting} />
      <AnswerForms turn={turn} refresh={refresh} />
      <TroubleView turn={turn} />
      {turn.output !== null && <AnswerView turn={turn} output={turn.output} />}
      <TurnFacts turn={turn} response={response} />
      <MetadataView metadata={turn.metadata} />
      {chain && <ChainView chain={chain} watched={watched} />}
      <InputView turn={turn} given={responseInput} />
      <Timeline watched={watched} />
      <DeliveryList deliveries={deliveries} refresh={refresh} />
      <ConfigFold turnId={turn.id} />
      <CurlFold turn={turn} request={conversation && requestOf(turn, conversation)} />
      <RawFold name="turn" value={turn} />
      {response && <RawFold name="response" value={response} />}
      <RawFold name="rounds" value={rounds} />
      <RawFold name="events" value={events} />
    </>
  );
}

/** The answer of a turn: its text, or the JSON of a turn with an output schema. */
function AnswerView({ turn, output }: { turn: KnownTurn['turn']; output: string }) {
  const { output_parsed: parsed, output_parts: parts, output_annotations: annotations } = turn;
  return (
    <section class="panel answer" aria-label="Answer">
      <h2>Answer</h2>
      {parsed === null ? (
        <div class="answer-text" {...scrollable('Reply')}>
          <AnswerContent text={output} parts={parts} annotations={annotations} />
        </div>
      ) : (
        <CodeBlock text={JSON.stringify(parsed, null, 2)} label="Answer as JSON" />
      )}
    </section>
  );
}

/** The end of the page counts as visible up to this far below the window, since a zoomed page rounds. */
const SLACK_PX = 40;

/** Keeps the end of a running turn in view when the page grows. */
function useEnd(isRunning: boolean): void {
  const last = () => document.querySelector('.timeline > ol > :last-child');
  const foot = last()?.getBoundingClientRect().bottom;
  const isAtEnd = scrollY > 0 && foot !== undefined && foot > 0 && foot <= innerHeight + SLACK_PX;
  useLayoutEffect(() => {
    if (isAtEnd && isRunning) last()?.scrollIntoView({ block: 'nearest' });
  });
}

type ChainProps = { chain: Chain; watched: KnownTurn };

/** The turns before and after a turn, and its forks, as links. */
function ChainView({ chain, watched: { turn, response } }: ChainProps) {
  const { previous, next, forks, forks_count: count, continued_by: continuedBy } = chain;
  const previousId = response?.previous_response_id ?? null;
  // Callers cannot find the deleted response before this turn, so the chain begins with an older turn.
  const deleted = previousId !== null && turnIdOf(previousId) !== previous?.id ? previousId : null;
  if (!(previous || next || deleted || forks.length + continuedBy.length > 0)) return null;
  const own = previous?.conversation_id === turn.conversation_id ? 'Previous' : 'Forked from';
  const before = previous?.id === turn.continues ? 'Continues' : own;
  return (
    <nav class="chain" aria-label="Chain">
      <h2>Chain</h2>
      <ul>
        {deleted && (
          <li class="gone">
            <b>Previous</b>
            <code>{deleted}</code> was deleted
          </li>
        )}
        {previous && <Link words={deleted ? 'Before that' : before} looks="previous" turn={previous} />}
        {next && <Link words="Next" looks="next" turn={next} />}
        {continuedBy.map((each) => (
          <Link key={each.id} words="Continued by" looks="next" turn={each} />
        ))}
        {forks.map((fork) => (
          <Link key={fork.id} words="Fork" looks="fork" turn={fork} />
        ))}
        {count > forks.length && <li class="gone">and {formatCount(count - forks.length)} older forks</li>}
      </ul>
    </nav>
  );
}

type LinkProps = { words: string; looks: 'previous' | 'next' | 'fork'; turn: Chain['forks'][number] };

function Link({ words, looks, turn: { id, preview, status } }: LinkProps) {
  return (
    <li class={looks}>
      <a href={turnHref(id)}>
        <b>{words}</b>
        <span class="title">{preview?.trim().split('\n')[0] || <code>{id}</code>}</span>
        <StatusBadge status={status} />
      </a>
    </li>
  );
}

function DeliveryList({ deliveries, refresh }: { deliveries: Delivery[]; refresh: () => void }) {
  if (deliveries.length === 0) return null;
  const redeliver = async (id: string) => {
    await call('POST', `/v1/deliveries/${id}/redeliver`);
    notice('Pawl delivers it once more, with the same webhook-id.');
    refresh();
  };
  return (
    <section class="deliveries" aria-label="Webhook deliveries">
      <h2>Webhook deliveries</h2>
      <ul>
        {deliveries.map((delivery) => (
          <li key={delivery.id} class="facts-line">
            <StatusBadge status={delivery.status} />
            <b>{delivery.type}</b>
            <code>{delivery.url}</code>
            <span class="meta">{outcomeOf(delivery)}</span>
            <ActionButton looks="quiet" work={() => redeliver(delivery.id)}>
              Redeliver
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
}

function outcomeOf({ attempts, last_status_code: code, last_error: error, ...delivery }: Delivery): string {
  const { next_attempt_at: nextAt, delivered_at: deliveredAt } = delivery;
  return inOneLine([
    countOf(attempts, 'attempt'),
    code && `HTTP ${code}`,
    error,
    deliveredAt && `delivered ${formatTimeOfDay(deliveredAt)}`,
    nextAt && `next ${formatTimeOfDay(nextAt)}`,
  ]);
}
