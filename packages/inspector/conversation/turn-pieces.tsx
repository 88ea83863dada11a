import { useState } from 'preact/hooks';
import { ActionButton } from '../base/buttons.tsx';
import { CodeBlock, prettyJson } from '../base/fact-list.tsx';
import { inOrder, runsOf } from '../base/memo.tsx';
import { formatDuration } from '../base/time.ts';
import type { ListedTurn, Round } from '../base/turn.ts';
import { countOf, formatCounts, inOneLine } from '../base/words.ts';
import { AnswerContent } from '../content/answer-content.tsx';
import { MarkdownView } from '../content/markdown-view.tsx';
import { ContentView, lengthOf } from '../content/part-view.tsx';
import { CallView } from '../timeline/call-view.tsx';
import { HostedCalls } from '../timeline/hosted-calls.tsx';
import type { LiveTurn } from '../watch/live-turn.ts';
import { AskAgain, forkAfter } from './ask-again.tsx';

/** A turn with its rounds, if they were read, and with its streaming reply. */
export type Item = { turn: ListedTurn; rounds: Round[] | null; live: LiveTurn };

/** A turn in the order of the history: its input, its rounds, the streaming reply, and its answer. */
export function TurnPieces({ turn, rounds, live }: Item) {
  const {
    completed_at: completedAt,
    rounds_count: count,
    pending_input: pending,
    output,
    output_parsed: parsed,
    output_parts: parts,
    output_annotations: annotations,
  } = turn;
  const isStreaming = completedAt === null && live.round > (rounds?.at(-1)?.number ?? 0);
  const pendingNote = completedAt === null ? 'Joins in the next round' : 'The turn ended before it read this input';
  return (
    <>
      <Asked turn={turn} />
      {rounds === null && count > 1 && <p class="meta">{count} rounds</p>}
      {runsOf(rounds ?? [], isMoreWork).map((run) => (
        <RunView key={run[0].number} run={run} turn={turn} live={live} />
      ))}
      {isStreaming && (live.text || live.reasoning || live.hosted.length > 0) && (
        <div key={live.round} class="reply">
          <HostedCalls calls={live.hosted} />
          {live.text === '' && <p class="said meta">{live.reasoning}</p>}
          <MarkdownView text={live.text} isGrowing />
        </div>
      )}
      {pending.length > 0 && <Bubble input={pending} note={pendingNote} looks="pending" />}
      {output !== null && (
        <article class="reply" aria-label="Answer">
          {parsed === null ? (
            <AnswerContent text={output} parts={parts} annotations={annotations} />
          ) : (
            <CodeBlock text={prettyJson(parsed)} label="Answer as JSON" />
          )}
        </article>
      )}
    </>
  );
}

/** Returns whether a round joins a run of rounds with tool calls, which the next input ends. */
function isMoreWork(first: Round, next: Round): boolean {
  return first.tool_calls.length > 0 && next.tool_calls.length > 0 && next.input.length === 0;
}

type RunProps = { run: [Round, ...Round[]]; turn: ListedTurn; live: LiveTurn };

/** A run of rounds with tool calls, or the text of a superseded round, after the input that joined before them. */
function RunView({ run, turn, live }: RunProps) {
  const [{ number, input, tool_calls: calls, hosted_calls: hosted, ...round }] = run;
  return (
    <>
      {input.length > 0 && <Bubble input={input} note={`Joined before round ${number}`} />}
      {calls.length > 0 && <Work turn={turn} rounds={run} live={live} />}
      {calls.length === 0 && hosted.length > 0 && <HostedWork calls={hosted} />}
      {calls.length === 0 && round.assistant_response && (
        <div class="reply">
          <RoundContent round={round} />
        </div>
      )}
    </>
  );
}

/** The calls of a round that the provider ran, closed. */
function HostedWork({ calls }: { calls: Round['hosted_calls'] }) {
  return (
    <details class="work">
      <summary>{countNames(calls.map(({ type }) => type))}</summary>
      <div class="inside">
        <HostedCalls calls={calls} />
      </div>
    </details>
  );
}

type Written = Pick<Round, 'assistant_response' | 'output_parts' | 'output_annotations'>;

function RoundContent({ round }: { round: Written }) {
  const { assistant_response: text, output_parts: parts, output_annotations: annotations } = round;
  return <AnswerContent text={text} parts={parts} annotations={annotations} />;
}

/** Messages of a caller. A user's message is opposite the answers. Any other message shows its role. */
function Bubble({ input, note, looks = '' }: { input: ListedTurn['input']; note: string; looks?: string }) {
  return (
    <article class={`asked ${looks}`} aria-label={note}>
      <Messages input={input} />
      <p class="meta">{note}</p>
    </article>
  );
}

/** The length above which a message may be higher than its bubble, which then scrolls. */
const SCROLLS_CHARS = 150;
const FOCUSABLE = { tabIndex: 0 };

function Messages({ input }: Pick<ListedTurn, 'input'>) {
  return inOrder(input, ({ role, content }) => (
    <div class={`bubble ${role}`} {...(lengthOf(content) > SCROLLS_CHARS && FOCUSABLE)}>
      {role !== 'user' && <b class="meta">{role}</b>}
      <ContentView content={content} />
    </div>
  ));
}

/** The input of a turn. **Edit** replaces it by a form. */
function Asked({ turn }: { turn: ListedTurn }) {
  const [isEditing, setEditing] = useState(false);
  return (
    <article class={`asked ${isEditing ? 'editing' : ''}`} aria-label="Input">
      {isEditing ? (
        <AskAgain turn={turn} close={() => setEditing(false)} />
      ) : (
        <>
          <ActionButton
            looks="quiet offer"
            label="Edit and ask again in a new conversation"
            work={() => setEditing(true)}
          >
            Edit
          </ActionButton>
          <Messages input={turn.input} />
        </>
      )}
    </article>
  );
}

/** Consecutive rounds with tool calls, closed: their texts, and each call as in the timeline. */
function Work({ turn, rounds, live }: Item & { rounds: Round[] }) {
  const isRunning = rounds.some(({ results }) => results.some(({ status }) => status === 'running'));
  return (
    <details class="work">
      <summary>
        {workWords(rounds)} {isRunning && <span class="badge running">running</span>}
      </summary>
      <ol class="inside">
        {rounds.map((round) => (
          <li key={round.number}>
            <div class="actions">
              <h3>Round {round.number}</h3>
              <ActionButton
                looks="quiet offer"
                label={`Fork here, after round ${round.number}`}
                title="Continues from here in a new conversation."
                work={() => forkAfter(turn, round.number)}
              >
                Fork here
              </ActionButton>
            </div>
            <HostedCalls calls={round.hosted_calls} />
            <RoundContent round={round} />
            <RoundCalls turn={turn} round={round} live={live} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function RoundCalls({ turn, round, live }: { turn: ListedTurn; round: Round; live: LiveTurn }) {
  const called = round.tool_calls.flatMap((call) => {
    const result = round.results.find(({ tool_call_id: id }) => id === call.id);
    return result ? { call, result, bars: [] } : [];
  });
  return (
    <ul class="calls">
      {called.map((one) => (
        <CallView key={one.call.id} called={one} turnId={turn.id} live={live.calls[one.call.id]} />
      ))}
    </ul>
  );
}

/** Returns the number of rounds, their tools and their duration, in one line. */
function workWords(rounds: Round[]): string {
  const names = rounds.flatMap(({ hosted_calls: hosted, tool_calls: calls }) => [
    ...hosted.map(({ type }) => type),
    ...calls.map(({ name }) => name),
  ]);
  const duration = formatDuration(rounds.reduce((sum, round) => sum + workMs(round), 0));
  return inOneLine([countOf(rounds.length, 'round'), countNames(names), duration]);
}

function countNames(names: string[]): string {
  return formatCounts(
    Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length])),
  );
}

/** Returns the duration of a round with its calls, which run in parallel. */
function workMs({ started_at: from, completed_at: to, results }: Round): number {
  return Date.parse(to) - Date.parse(from) + Math.max(0, ...results.map(({ duration_ms: ms }) => ms ?? 0));
}
