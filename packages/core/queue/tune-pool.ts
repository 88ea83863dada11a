import type pg from 'pg';
import { prepareStatements } from './prepare-statements.ts';
import { uniteStatements } from './unite-statements.ts';

/** Has a pool run what BullMQ asks of it at less cost: prepared, and together with what else is asked. */
export function tunePool(pool: pg.Pool): void {
  const query = pool.query.bind(pool);
  const queryOfBullMq = uniteStatements(prepareStatements(query));
  // The pool knows nine forms of this; BullMQ asks with a text and its values.
  const queryAny = (...asked: unknown[]) => {
    const [text, values] = asked;
    const isBullMqs = asked.length === 2 && typeof text === 'string' && Array.isArray(values);
    return isBullMqs ? queryOfBullMq(text, values) : query(...(asked as [never]));
  };
  pool.query = queryAny as pg.Pool['query'];
}
