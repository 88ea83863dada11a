import type { Turn } from '../base/turn.ts';

const REASONS: Record<string, string> = {
  deadline: 'The turn reached its deadline.',
  max_cost_usd: 'The turn reached its cost limit.',
  max_output_tokens: 'The reply of the model reached its longest length.',
  content_filter: 'The provider withheld the rest.',
  unknown_finish_reason: 'The model stopped for a reason that Pawl does not know.',
};

/** The reason why a turn failed or is incomplete, and its warnings. */
export function TroubleView({ turn }: { turn: Pick<Turn, 'error' | 'incomplete_details' | 'warnings'> }) {
  const { error, incomplete_details: incomplete, warnings } = turn;
  if (error === null && incomplete === null && warnings.length === 0) return null;
  return (
    <section class={`panel trouble ${error ? 'failed' : ''}`} aria-label="Problems">
      {error && (
        <>
          <p>
            <code>{error.code}</code> {error.message}
          </p>
          <p class="hint">{error.retryable ? 'A retry can help.' : 'An unchanged retry does not help.'}</p>
        </>
      )}
      {incomplete && (
        <p>
          <code>{incomplete.reason}</code> {explainReason(incomplete.reason)}
        </p>
      )}
      {warnings.map((warning) => (
        <p key={warning}>Warning: {warning}</p>
      ))}
    </section>
  );
}

/** Explains why an answer is incomplete. Most limits are named after the thing that they count: `max_tool_calls`. */
function explainReason(reason: string): string {
  const counted = reason.match(/^max_(?:total_)?(\w+)$/)?.[1];
  return REASONS[reason] ?? (counted ? `The turn used all of its ${counted.replaceAll('_', ' ')}.` : reason);
}
