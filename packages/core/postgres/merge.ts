import type { Rows, Statement } from './connection.ts';
import { RowSet } from './row-set.ts';

/** A statement that replaces the statements at `indexes`. `distribute` splits its rows into the answer of each. */
export type MergedStatement = { statement: Statement; indexes: number[]; distribute(rows: Rows): Rows[] };

/** The maximum characters of a statement's rows, since several copies exist at once, here and in PostgreSQL. */
const MAX_CHARACTERS = 1024 * 1024;

type MergeGroup = { first: Statement; sets: RowSet[]; size: number; indexes: number[]; keys: Set<string> };

/**
 * Merges statements that differ only in their `RowSet`. A key occurs once in each merged statement, so two statements
 * with the same key stay apart, in their order. Large statements stay alone.
 */
export function mergeStatements(statements: Statement[]): MergedStatement[] {
  const all: MergeGroup[] = [];
  for (const [index, statement] of statements.entries()) {
    const set = rowSetOf(statement);
    const fit = set && all.find((group) => fits(group, statement, set));
    if (fit) add(fit, index, set);
    else all.push(newGroup(statement, index, set));
  }
  return all.map(({ first, sets, indexes }) =>
    indexes.length === 1
      ? { statement: first, indexes, distribute: (rows) => [rows] }
      : {
          statement: withRows(first, RowSet.join(sets as [RowSet, ...RowSet[]])),
          indexes,
          distribute: (rows) => distributeRows(rows, sets),
        },
  );
}

/** Returns the rows that a statement has as a parameter, or undefined if it has no rows. */
export function rowSetOf({ parameters }: Statement): RowSet | undefined {
  return parameters?.find((parameter) => parameter instanceof RowSet);
}

function newGroup(first: Statement, index: number, set: RowSet | undefined): MergeGroup {
  return { first, sets: set ? [set] : [], size: set?.size ?? 0, indexes: [index], keys: new Set(set?.keys) };
}

function add(group: MergeGroup, index: number, set: RowSet): void {
  group.sets.push(set);
  group.size += set.size;
  group.indexes.push(index);
  for (const key of set.keys) group.keys.add(key);
}

function fits({ first, size, keys }: MergeGroup, statement: Statement, set: RowSet): boolean {
  if (!isAlike(first, statement) || size + set.size > MAX_CHARACTERS) return false;
  return !set.keys.some((key) => keys.has(key));
}

function isAlike(one: Statement, other: Statement): boolean {
  if (one.text !== other.text || one.parameters?.length !== other.parameters?.length) return false;
  return (one.parameters ?? []).every((parameter, index) =>
    parameter instanceof RowSet ? other.parameters?.[index] instanceof RowSet : parameter === other.parameters?.[index],
  );
}

function withRows({ text, parameters = [] }: Statement, all: RowSet): Statement {
  return { text, parameters: parameters.map((parameter) => (parameter instanceof RowSet ? all : parameter)) };
}

function distributeRows(rows: Rows, sets: RowSet[]): Rows[] {
  const byKey = Map.groupBy([...rows], (row) => row[sets[0]?.key ?? ''] as string);
  return sets.map(({ keys }) => keys.flatMap((key) => byKey.get(key) ?? []) as unknown as Rows);
}
