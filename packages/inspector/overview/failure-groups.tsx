import type { Statistics } from '#client/connect-pawl.ts';
import { ActionButton } from '../base/buttons.tsx';
import { Age } from '../base/fact-list.tsx';
import { useClock } from '../base/use-fresh.ts';
import { formatCount } from '../base/words.ts';
import { askBulk } from '../list/bulk.tsx';
import { listHref, turnHref } from '../route.ts';

type FailureGroupsProps = { statistics: Statistics; isOwn: boolean; refresh: () => Promise<void> };

/**
 * Failed turns by the code of their error, each with its newest turn. Without `isOwn` the turns may belong to another
 * project: the key cannot open or retry these.
 */
export function FailureGroups({ statistics: { failures, from, to }, isOwn, refresh }: FailureGroupsProps) {
  useClock(1000);
  if (failures.length === 0) return <p class="meta">No failed turns in this period.</p>;
  const groups = failures.map(({ error_code: code, turns, precision, example }) => {
    const filter = { status: 'failed', error_code: code, created_after: from, created_before: to };
    const retry = () => askBulk({ action: 'retry', filter }, 'failed turns').then(refresh);
    const about = [<code key="code">{code}</code>, <span key="message">{example.message}</span>];
    return (
      <li key={code} class="row">
        <b>{`${precision === 'exact' ? '' : '≥ '}${formatCount(turns)}`}</b>
        {isOwn ? <a {...{ class: 'example', href: turnHref(example.turn_id) }}>{about}</a> : <div>{about}</div>}
        <Age at={example.created_at} />
        {isOwn ? (
          <div class="actions">
            <a {...{ class: 'button quiet', href: listHref(filter) }}>Show all</a>
            <ActionButton {...{ looks: 'quiet', label: `Retry all: ${code}`, work: retry }}>Retry all</ActionButton>
          </div>
        ) : (
          <span class="meta">{example.project}</span>
        )}
      </li>
    );
  });
  return (
    <section class="failures" aria-label="Failures">
      <h2>Failures</h2>
      <ol class="rows">{groups}</ol>
    </section>
  );
}
