import { formatDuration, formatTimeOfDay } from '../base/time.ts';
import type { KnownTurn } from '../watch/watched-turn.ts';
import { coveredMs } from './axis.ts';
import { type CalledTool, CallView } from './call-view.tsx';
import type { Entry } from './timeline-entries.ts';

type BatchProps = { entry: Extract<Entry, { kind: 'batch' }>; watched: KnownTurn };

/** The tool calls of a round, or those that a response allows, each in a line. */
export function BatchView({ entry: { round, calls }, watched: { turn, live, response } }: BatchProps) {
  const isDone = calls.every(({ result }) => result.completed_at !== null);
  const isLeft = calls.every(({ result }) => result.status === 'handed_over');
  const title = round.number === 0 ? 'Allowed calls' : `Batch ${round.number}`;
  // A response can end with the request to approve a call. The id of the request ends with the place of the call.
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
            awaitsApproval={requests.some((id) => id.endsWith(`_r${round.number}_${index}`))}
          />
        ))}
      </ul>
    </li>
  );
}

function metaOf(calls: CalledTool[]): string {
  const saved = calls.flatMap(({ result }) => result.completed_at ?? []);
  const ran = calls.filter(({ result }) => result.status !== 'handed_over');
  const count =
    calls.length === 1 ? '1 tool call' : `${calls.length} tool calls${ran.length > 1 ? ', in parallel' : ''}`;
  if (saved.length < calls.length) return `${count} · ${saved.length} saved so far`;
  return `${count} · checkpoint ${formatTimeOfDay(saved.sort().at(-1) ?? '')}`;
}

function ranMs(calls: CalledTool[]): number {
  const bars = calls.flatMap((called) => called.bars).filter(({ kind }) => kind === 'tool');
  return coveredMs(bars.flatMap(({ from, to }) => (to === null ? [] : [{ from, to }])));
}
