import { useState } from 'preact/hooks';
import { ActionButton } from '../base/buttons.tsx';
import { CodeBlock, prettyJson } from '../base/fact-list.tsx';
import { inOrder } from '../base/memo.tsx';
import { formatDuration } from '../base/time.ts';
import type { ListedTurn, Round } from '../base/turn.ts';
import { MarkdownView } from '../content/markdown-view.tsx';
import { ContentView, lengthOf } from '../content/part-view.tsx';
import { CallView } from '../timeline/call-view.tsx';
import type { LiveTurn } from '../watch/live-turn.ts';
import { AskAgain, forkAfter } from './ask-again.tsx';
import type { Input, Piece } from './pieces.ts';

type PieceProps = { piece: Piece; turn: ListedTurn; live: LiveTurn };

/** A piece of a turn in its thread. */
export function PieceView({ piece, turn, live }: PieceProps) {
  switch (piece.kind) {
    case 'asked':
      return <Asked turn={turn} />;
    case 'joined':
      return <Bubble input={piece.input} note={`Joined before round ${piece.round}`} />;
    case 'pending': {
      const note = turn.completed_at === null ? 'Joins in the next round' : 'The turn ended before it read this input';
      return <Bubble input={piece.input} note={note} looks="pending" />;
    }
    case 'unread':
      return <p class="meta">{piece.count} rounds</p>;
    case 'work':
      return <Work turn={turn} rounds={piece.rounds} live={live} />;
    case 'said':
      return (
        <div class="reply">
          <MarkdownView text={piece.text} />
        </div>
      );
    case 'streaming':
      return (
        <div class="reply">
          {piece.text === '' && <p class="said meta">{piece.reasoning}</p>}
          <MarkdownView text={piece.text} isGrowing />
        </div>
      );
    case 'answer':
      return (
        <article class="reply" aria-label="Answer">
          {piece.parsed === null ? (
            <MarkdownView text={piece.text} />
          ) : (
            <CodeBlock text={prettyJson(piece.parsed)} label="Answer as JSON" />
          )}
        </article>
      );
  }
}

/** Messages of a caller. A message of a user is on the other side of the answers; any other shows its role. */
function Bubble({ input, note = '', looks = '' }: { input: Input; note?: string; looks?: string }) {
  return (
    <article class={`asked ${looks}`} aria-label={note || 'Input'}>
      <Messages input={input} />
      {note && <p class="meta">{note}</p>}
    </article>
  );
}

/** A message of so many characters may be higher than its bubble, which scrolls then. */
const SCROLLS_CHARS = 150;
const FOCUSABLE = { tabIndex: 0 };

function Messages({ input }: { input: Input }) {
  return inOrder(input, ({ role, content }) => (
    <div class={`bubble ${role}`} {...(lengthOf(content) > SCROLLS_CHARS && FOCUSABLE)}>
      {role !== 'user' && <b class="meta">{role}</b>}
      <ContentView content={content} />
    </div>
  ));
}

/** The input of a turn. **Edit** puts a form in its place. */
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
function Work({ turn, rounds, live }: { turn: ListedTurn; rounds: Round[]; live: LiveTurn }) {
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
            {round.assistant_response && <MarkdownView text={round.assistant_response} />}
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

/** The number of rounds, their tools and their duration, in one line. */
function workWords(rounds: Round[]): string {
  const names = rounds.flatMap(({ tool_calls: calls }) => calls.map(({ name }) => name));
  const counts = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) =>
    length === 1 ? name : `${name} × ${length}`,
  );
  const duration = formatDuration(rounds.reduce((sum, round) => sum + workMs(round), 0));
  return [rounds.length === 1 ? '1 round' : `${rounds.length} rounds`, counts.join(', '), duration].join(' · ');
}

/** The duration of a round with its calls, which run side by side. */
function workMs({ started_at: from, completed_at: to, results }: Round): number {
  return Date.parse(to) - Date.parse(from) + Math.max(0, ...results.map(({ duration_ms: ms }) => ms ?? 0));
}
