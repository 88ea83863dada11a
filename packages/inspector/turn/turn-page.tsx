import { useLayoutEffect } from 'preact/hooks';
import { call } from '../base/call.ts';
import { CodeBlock, scrollable } from '../base/fact-list.tsx';
import { useTitle } from '../base/memo.tsx';
import { Refusal, Skeleton } from '../base/refusal.tsx';
import type { Chain } from '../base/turn.ts';
import { useFresh } from '../base/use-fresh.ts';
import { titleOf } from '../base/words.ts';
import { MarkdownView } from '../content/markdown-view.tsx';
import type { Route } from '../route.ts';
import { requestOf } from '../start/turn-request.ts';
import { Timeline } from '../timeline/timeline.tsx';
import { useWatched } from '../watch/use-watched.ts';
import type { KnownTurn } from '../watch/watched-turn.ts';
import { AnswerForms } from './answer-form.tsx';
import { ChainView } from './chain-view.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { InputView } from './input-view.tsx';
import { CurlFold, RawFold } from './raw-folds.tsx';
import { ConfigFold } from './sent-fold.tsx';
import { TroubleView } from './trouble-view.tsx';
import { MetadataView, TurnFacts, TurnHead } from './turn-head.tsx';
import { WaitingView } from './waiting-view.tsx';

/** One turn, live while it runs. */
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
      {turn.output !== null && <AnswerView output={turn.output} parsed={turn.output_parsed} />}
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
function AnswerView({ output, parsed }: { output: string; parsed: unknown }) {
  return (
    <section class="panel answer" aria-label="Answer">
      <h2>Answer</h2>
      {parsed === null ? (
        <div class="answer-text" {...scrollable('Reply')}>
          <MarkdownView text={output} />
        </div>
      ) : (
        <CodeBlock text={JSON.stringify(parsed, null, 2)} label="Answer as JSON" />
      )}
    </section>
  );
}

/** The end of the page can be this far below the window and still count as visible: a zoomed page rounds. */
const SLACK_PX = 40;

/** Keeps a page that is scrolled to the end of a running turn at its end when the page grows. */
function useEnd(isRunning: boolean): void {
  const last = () => document.querySelector('.timeline > ol > :last-child');
  const foot = last()?.getBoundingClientRect().bottom;
  const isAtEnd = scrollY > 0 && foot !== undefined && foot > 0 && foot <= innerHeight + SLACK_PX;
  useLayoutEffect(() => {
    if (isAtEnd && isRunning) last()?.scrollIntoView({ block: 'nearest' });
  });
}
