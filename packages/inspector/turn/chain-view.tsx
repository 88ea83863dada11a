import { StatusBadge } from '../base/fact-list.tsx';
import type { Chain } from '../base/turn.ts';
import { formatCount } from '../base/words.ts';
import { turnHref, turnIdOf } from '../route.ts';
import type { KnownTurn } from '../watch/watched-turn.ts';

type ChainProps = { chain: Chain; watched: KnownTurn };

/** The turns before and after a turn, and its forks, as links. */
export function ChainView({ chain, watched: { turn, response } }: ChainProps) {
  const { previous, next, forks, forks_count: count, continued_by: continuedBy } = chain;
  const previousId = response?.previous_response_id ?? null;
  // Callers no longer find the response before this one: the chain begins with an older turn.
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
