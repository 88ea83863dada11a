import { useState } from 'preact/hooks';
import { ActionButton } from '../base/buttons.tsx';
import { call as ask } from '../base/call.ts';
import { CodeBlock, FactList, prettyJson, StatusBadge } from '../base/fact-list.tsx';
import { formatDuration, formatTimeOfDay } from '../base/time.ts';
import type { Result, ToolCall } from '../base/turn.ts';
import { countOf } from '../base/words.ts';
import { ContentView } from '../content/part-view.tsx';
import type { LiveCall } from '../watch/live-turn.ts';
import type { KnownTurn } from '../watch/watched-turn.ts';
import { coveredMs } from './axis.ts';
import { type Bar, Took, Track } from './bars.tsx';

/** A call with its result, and its bars on the time axis. Without bars it shows only its duration. */
export type CalledTool = { call: ToolCall; result: Result; bars: Bar[] };

type BatchProps = { round: number; calls: CalledTool[]; watched: KnownTurn };

/** The tool calls of a round, or the calls that a response allows, each in a line. */
export function BatchView({ round, calls, watched: { turn, live, response } }: BatchProps) {
  const isDone = calls.every(({ result }) => result.completed_at !== null);
  const isLeft = calls.every(({ result }) => result.status === 'handed_over');
  const title = round === 0 ? 'Allowed calls' : `Batch ${round}`;
  // A response can end with the request to approve a call. The id of the request ends with the index of the call.
  const output: { id?: string; type: string }[] = response?.output ?? [];
  const requests = output.flatMap(({ id, type }) => (type === 'mcp_approval_request' && id ? [id] : []));
  return (
    <li class={`entry checkpoint ${isDone ? '' : 'now'}`}>
      <div class="line">
        <div class="what">
          <h3>{isLeft ? 'Handed over' : title}</h3>
          <span class="meta">{metaOf(calls)}</span>
        </div>
        {isDone && !isLeft && <span class="took">{formatDuration(ranMs(calls))}</span>}
      </div>
      <ul class="calls">
        {calls.map((called, index) => (
          <CallView
            key={called.call.id}
            called={called}
            turnId={turn.id}
            live={live.calls[called.call.id]}
            awaitsApproval={requests.some((id) => id.endsWith(`_r${round}_${index}`))}
          />
        ))}
      </ul>
    </li>
  );
}

function metaOf(calls: CalledTool[]): string {
  const saved = calls.flatMap(({ result }) => result.completed_at ?? []);
  const ran = calls.filter(({ result }) => result.status !== 'handed_over');
  const count = `${countOf(calls.length, 'tool call')}${ran.length > 1 ? ', in parallel' : ''}`;
  if (saved.length < calls.length) return `${count} · ${saved.length} saved so far`;
  return `${count} · checkpoint ${formatTimeOfDay(saved.sort().at(-1) ?? '')}`;
}

function ranMs(calls: CalledTool[]): number {
  const bars = calls.flatMap((called) => called.bars).filter(({ kind }) => kind === 'tool');
  return coveredMs(bars.flatMap(({ from, to }) => (to === null ? [] : [{ from, to }])));
}

type CallProps = { called: CalledTool; turnId: string; live?: LiveCall | undefined; awaitsApproval?: boolean };

const EFFECTS = {
  none: 'none, can be repeated',
  idempotent: 'idempotent, can be repeated',
  at_most_once: 'at most once',
};

/** A closed call of a batch. It opens to its arguments, result and ledger. */
export function CallView({ called, turnId, live, awaitsApproval = false }: CallProps) {
  const { call, result, bars } = called;
  const { error, status } = result;
  return (
    <li class="call">
      <details>
        <summary class="line">
          <span class="what">
            <b>{call.name}</b>
            <code class="brief">{briefly(call.arguments)}</code>
            {result.attempts > 1 && <span class="meta">{result.attempts} attempts</span>}
            <StatusBadge status={isOpen(result) && (result.waits_for ?? null) !== null ? 'waiting' : status} />
          </span>
          <Track bars={bars} />
          {bars.length > 0 ? <Took bars={bars.slice(-1)} /> : <span class="took">{lastedOf(result)}</span>}
        </summary>
        <div class="inside">
          <h4>Arguments</h4>
          <CodeBlock text={prettyJson(call.arguments)} label={`Arguments of ${call.name}`} />
          {call.approved_arguments !== undefined && (
            <div>
              <h4>Approved arguments</h4>
              <CodeBlock text={prettyJson(call.approved_arguments)} label={`Approved arguments of ${call.name}`} />
            </div>
          )}
          <ResultView turnId={turnId} name={call.name} result={result} />
          <Ledger result={result} bars={bars} />
        </div>
      </details>
      {error && (
        <p class="why">
          <code>{error.category}</code> {error.message}
        </p>
      )}
      {status === 'handed_over' && (
        <p class="note">
          {awaitsApproval
            ? 'Pawl runs this call when a next response approves it.'
            : 'The caller runs this call, and sends its result in the input of a next response.'}
        </p>
      )}
      {isOpen(result) && live && (
        <p class="note">
          {[live.statusText, live.progress !== null && briefly(live.progress)].filter(Boolean).join(' ')}
        </p>
      )}
    </li>
  );
}

function isOpen({ status }: Result): boolean {
  return status === 'pending' || status === 'running';
}

function lastedOf({ cached, status, duration_ms: ms }: Result): string {
  if (status === 'handed_over') return '';
  if (!cached && ms) return formatDuration(ms);
  return cached ? 'cached' : 'not run';
}

function ResultView({ turnId, name, result }: { turnId: string; name: string; result: Result }) {
  const { status, content, error, truncated, tool_call_id: id } = result;
  const [whole, setWhole] = useState<string | null>(null);
  if (error) {
    return (
      <div class="refusal">
        <h4>Error: {error.category}</h4>
        <p>{error.message}</p>
        {Object.keys(error.details ?? {}).length > 0 && (
          <CodeBlock text={prettyJson(error.details)} label={`Details of the error of ${name}`} />
        )}
      </div>
    );
  }
  if (status !== 'success') return null;
  const showAll = async () => {
    type Output = { output: unknown };
    const { output } = await ask<Output>('GET', `/v1/turns/${turnId}/tool_outputs/${encodeURIComponent(id)}`);
    setWhole(prettyJson(output));
  };
  return (
    <div>
      <h4>{truncated ? 'Result, cut as the model saw it' : 'Result'}</h4>
      {content !== null && typeof content !== 'string' ? (
        <ContentView content={content} />
      ) : (
        <CodeBlock text={whole ?? prettyJson(content ?? '')} label={`Result of ${name}`} />
      )}
      {truncated && whole === null && (
        <ActionButton looks="quiet" work={showAll}>
          Show the whole result
        </ActionButton>
      )}
    </div>
  );
}

function Ledger({ result, bars }: Pick<CalledTool, 'result' | 'bars'>) {
  const { approval, claimed_at: claimedAt, started_at: startedAt, completed_at: completedAt } = result;
  const waited = bars.find(({ kind }) => kind === 'wait');
  const decision = approval?.decision === 'allow' ? 'Approved' : 'Denied';
  return (
    <FactList
      facts={[
        ['Queue wait', waited && waited.to !== null && formatDuration(waited.to - waited.from)],
        ['Ran', result.duration_ms !== null && formatDuration(result.duration_ms)],
        ['Attempts', isOpen(result) ? null : result.attempts],
        ['Cached', result.cached && 'yes: an equal call had this answer'],
        ['Effect', EFFECTS[result.effect]],
        ['Claimed', claimedAt && formatTimeOfDay(claimedAt)],
        ['Started', startedAt && formatTimeOfDay(startedAt)],
        ['Checkpoint', completedAt && formatTimeOfDay(completedAt)],
        ['Decision', approval && `${decision}${approval.by ? ` by ${approval.by}` : ''}`],
        ['Reason', approval?.reason],
        ['Call', <code key="call">{result.tool_call_id}</code>],
        ['Idempotency-Key', result.idempotency_key && <code key="key">{result.idempotency_key}</code>],
      ]}
    />
  );
}

function briefly(value: unknown): string {
  return (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 200);
}
