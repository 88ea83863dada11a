import type { Batch, BatchPage, WaitingRounds } from '#client/connect-pawl.ts';
import { Table } from '../base/table.tsx';
import { formatDateTime, formatElapsed, formatRoundDuration } from '../base/time.ts';
import { countOf, formatCount } from '../base/words.ts';

const STATE_WORDS: Record<Batch['state'], string> = {
  open: 'Waits to be sent',
  asked: 'Being sent',
  sent: 'At the provider',
  collected: 'All answers stored',
};

/** The batches, and the rounds that wait for a batch. Shows no section if there are neither. */
export function BatchesTable({ batches: { data, waiting, has_more: hasMore } }: { batches: BatchPage }) {
  if (data.length + waiting.length === 0) return null;
  return (
    <section class="usage batches stack" aria-label="Batches">
      <h2>Batches</h2>
      {waiting.map((rounds) => (
        <WaitingLine key={rounds.model} rounds={rounds} />
      ))}
      {data.length > 0 && (
        <Table
          rows={data}
          keyOf={({ id }) => id}
          columns={[
            ['Batch', ({ id }) => <code>{id}</code>],
            ['Model', ({ model }) => model],
            ['State', (batch) => <StateView batch={batch} />],
            ['Answered', ({ requests, answered }) => `${formatCount(answered)} of ${formatCount(requests)}`],
            ['Age', ({ created_at: at }) => <span title={formatDateTime(at)}>{formatElapsed(at)}</span>],
          ]}
        />
      )}
      {hasMore && <p class="meta">Only the newest {formatCount(data.length)} batches are shown.</p>}
    </section>
  );
}

function StateView({ batch: { state, refusals, refusal_code: code } }: { batch: Batch }) {
  return (
    <>
      {STATE_WORDS[state] ?? state}
      {code && (
        <p class="limited">
          refused {formatCount(refusals)} {refusals === 1 ? 'time' : 'times'}: <code>{code}</code>
        </p>
      )}
    </>
  );
}

function WaitingLine({ rounds: { model, requests, age_seconds: age } }: { rounds: WaitingRounds }) {
  return (
    <p class="meta">
      {countOf(requests, 'round')} of {model} {requests === 1 ? 'waits' : 'wait'} for a batch, the oldest for{' '}
      {formatRoundDuration(age * 1000)}
    </p>
  );
}
