import pg from 'pg';
import { type Asked, gatherStatements } from '../gather-statements.ts';
import type { Query } from './prepare-statements.ts';

type AskedValues = Asked<unknown[], pg.QueryResult>;

/** Statements that become one at most. */
const MOST = 32;

/** Nearly all that BullMQ asks is a function of its own, or a look into its tables; what is neither is left alone. */
const SELECTS = /^(\s|--.*\n)*select\b/i;

/**
 * What BullMQ asks for one job each, with one text and at the same moment, becomes one statement that asks it for all of
 * them: one round trip, one commit and one notification for many jobs. When one of them is refused, nothing has happened,
 * and each is asked alone.
 */
export function uniteStatements(query: Query): Query {
  const asking = new Map<string, (values: unknown[]) => Promise<pg.QueryResult>>();

  function open(text: string) {
    const texts = new Map<number, string>();
    const askAll = (lists: unknown[][]) => {
      const places = placesFor(lists.length);
      const parameters = lists[0]?.length ?? 0;
      const united = texts.get(places) ?? unitedText(text, { places, parameters });
      texts.set(places, united);
      const leftOver = new Array((places - lists.length) * parameters).fill(null);
      return query(united, [lists.length, ...lists.flat(), ...leftOver]);
    };
    const askOne = (values: unknown[]) => query(text, values);
    const ask = gatherStatements<unknown[], pg.QueryResult>((group) => askFor(group, { askAll, askOne }), MOST);
    asking.set(text, ask);
    return ask;
  }
  return (text, values) => (SELECTS.test(text) ? (asking.get(text) ?? open(text))(values) : query(text, values));
}

type Asking = {
  askAll(lists: unknown[][]): Promise<pg.QueryResult>;
  askOne(values: unknown[]): Promise<pg.QueryResult>;
};

async function askFor(group: AskedValues[], { askAll, askOne }: Asking): Promise<void> {
  if (group.length === 1) return askEach(group, askOne);
  try {
    dealOut(group, await askAll(group.map(({ statement }) => statement)));
  } catch (error) {
    // Only Postgres can tell that nothing has happened.
    if (error instanceof pg.DatabaseError) return askEach(group, askOne);
    for (const { reject } of group) reject(error);
  }
}

async function askEach(group: AskedValues[], askOne: Asking['askOne']): Promise<void> {
  await Promise.all(group.map(({ statement, resolve, reject }) => askOne(statement).then(resolve, reject)));
}

/**
 * What one statement of BullMQ locks it gives back at once; many together keep theirs until all are done, and could wait in a
 * circle with the renewal of its locks. So together they soon give up waiting, and each goes alone. The commit, which waits
 * for other notifications, is behind it.
 */
const LOCK_PATIENCE = {
  start: "where (select set_config('lock_timeout', '50ms', true)) is not null",
  end: "where (select set_config('lock_timeout', '0', true)) is null",
};

/** Each power of two has a text, which each connection prepares; places that are left over are not run. */
function placesFor(asked: number): number {
  return 2 ** Math.ceil(Math.log2(asked));
}

/** The statement once for each place, run in their order as far as `$1` says; `place` says whose row it is. The last is never run. */
function unitedText(text: string, { places, parameters }: { places: number; parameters: number }): string {
  const bare = text.replaceAll(/--.*$/gm, '').replace(/;\s*$/, '');
  const parts = Array.from({ length: places }, (_, place) => {
    const shift = 1 + place * parameters;
    const part = bare.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + shift}`);
    return `select ${place} as place, one.* from (${part}) as one`;
  });
  const [first, ...others] = parts;
  const guarded = others.map((part, index) => `${part} where $1::int > ${index + 1}`);
  const all = [`${first} ${LOCK_PATIENCE.start}`, ...guarded, `${first} ${LOCK_PATIENCE.end}`];
  return all.join('\nunion all ');
}

function dealOut(group: AskedValues[], { rows, ...result }: pg.QueryResult): void {
  const rowsOf: pg.QueryResultRow[][] = group.map(() => []);
  for (const { place, ...row } of rows) rowsOf[place]?.push(row);
  for (const [place, own] of rowsOf.entries()) {
    group[place]?.resolve({ ...result, rows: own, rowCount: own.length });
  }
}
