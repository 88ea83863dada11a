import { ActionButton, CopyButton, notice } from '../base/buttons.tsx';
import { call } from '../base/call.ts';
import { askFirst } from '../base/dialog.tsx';
import { FactList, StatusBadge } from '../base/fact-list.tsx';
import { formatDateTime, formatDuration, msBetween } from '../base/time.ts';
import type { Response, Turn } from '../base/turn.ts';
import { useClock } from '../base/use-fresh.ts';
import { formatCount, formatCounts, formatShare, formatTokens, formatUsd, titleOf } from '../base/words.ts';
import { agentHref, conversationHref } from '../route.ts';
import { askRerun } from './rerun.tsx';

type HeadProps = { turn: Turn; refresh: () => void };

export function TurnHead({ turn, refresh }: HeadProps) {
  return (
    <header class="turn-head">
      <p class="crumbs facts-line">
        <a href="#/turns">Turns</a>
        {[turn.id, turn.response_id].map(
          (id) =>
            id && (
              <CopyButton key={id} text={() => id} label={`Copy ${id}`}>
                {id}
              </CopyButton>
            ),
        )}
      </p>
      <h1>{titleOf(turn)}</h1>
      <div class="bar-of-actions facts-line">
        <span role="status">
          <StatusBadge status={turn.status} />
        </span>
        <span class="meta">{turn.model}</span>
        <time class="meta" dateTime={turn.created_at}>
          {formatDateTime(turn.created_at)}
        </time>
        <a class="meta" href={conversationHref(turn.conversation_id)}>
          Conversation
        </a>
        <Actions turn={turn} refresh={refresh} />
      </div>
    </header>
  );
}

function Actions({ turn, refresh }: HeadProps) {
  const { id, status, completed_at: completedAt } = turn;
  const ask = (verb: 'cancel' | 'retry', done: string) => async () => {
    await call('POST', `/v1/turns/${id}/${verb}`);
    notice(done);
    refresh();
  };
  return (
    <div class="actions">
      {completedAt === null && (
        <ActionButton looks="danger" work={ask('cancel', 'Cancelled.')}>
          Cancel
        </ActionButton>
      )}
      {status === 'failed' && (
        <ActionButton looks="primary" work={ask('retry', 'The turn continues from its last checkpoint.')}>
          Retry
        </ActionButton>
      )}
      <a class="button" href={`#/new?from=${id}`} title="Opens the form with the request of this turn.">
        Start again
      </a>
      {completedAt !== null && (
        <>
          <ActionButton work={() => askRerun(turn)}>Rerun</ActionButton>
          <ActionButton looks="danger" work={() => askDelete(id)}>
            Delete
          </ActionButton>
        </>
      )}
    </div>
  );
}

async function askDelete(id: string): Promise<void> {
  await askFirst({
    title: 'Delete this turn?',
    body: <p>Pawl erases its content at once and permanently. Later turns of its conversation are sent without it.</p>,
    action: 'Delete it',
    isDanger: true,
    work: async () => {
      await call('DELETE', `/v1/turns/${id}`);
      notice('Deleted.');
      location.hash = '#/turns';
    },
  });
}

/** The figures of a turn, and the options of its creation as a response. */
export function TurnFacts({ turn, response }: { turn: Turn; response: Response | null }) {
  const { usage, round } = turn;
  const saved = usage.cache_savings_usd ?? 0;
  return (
    <FactList
      looks="facts wide"
      facts={[
        ['Agent', turn.agent && <AgentLink key="agent" agent={turn.agent} />],
        ['Took', <Elapsed key="took" from={turn.created_at} to={turn.completed_at} everyMs={200} />],
        ['Rounds', formatCount(round)],
        ['Tool calls', formatCount(usage.tool_calls)],
        ['Calls of the provider', formatCounts(usage.hosted_calls)],
        ['Tokens', formatTokens(usage)],
        ['Tokens from cache', usage.cached_input_tokens > 0 && formatShare(usage)],
        ['Tokens to cache', usage.cache_write_tokens > 0 && formatCount(usage.cache_write_tokens)],
        ['Cost', usage.cost_usd !== null && round > 0 && formatUsd(usage.cost_usd)],
        [saved < 0 ? 'Caching cost' : 'Caching saved', saved !== 0 && formatUsd(Math.abs(saved))],
        ['Background', response && (response.background ? 'yes' : 'no')],
        ['Stored', response && (response.store ? 'yes' : 'no')],
      ]}
    />
  );
}

/** The version of an agent. Its address has the id, which also finds a deleted agent. */
function AgentLink({ agent: { id, name, version } }: { agent: NonNullable<Turn['agent']> }) {
  return <a href={agentHref(id, version)}>{`${name}@${version}`}</a>;
}

/** The time from one moment to another. It grows at this interval while `to` is null. */
export function Elapsed({ from, to, everyMs }: { from: string; to: string | null; everyMs: number }) {
  useClock(to === null ? everyMs : null);
  return <span>{formatDuration(msBetween(from, to))}</span>;
}

export function MetadataView({ metadata }: { metadata: Turn['metadata'] }) {
  const pairs = Object.entries(metadata);
  if (pairs.length === 0) return null;
  return (
    <section class="metadata" aria-label="Metadata">
      <h2>Metadata</h2>
      <FactList looks="pairs" facts={pairs.map(([name, value]) => [name, <code key={name}>{value}</code>])} />
    </section>
  );
}
