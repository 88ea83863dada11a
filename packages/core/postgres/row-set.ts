/** A row of a statement's input, as `json_to_recordset` reads it. */
export type InputRow = Record<string, unknown>;

/** Removes the columns that are null. A column that a row does not name is null, too, and PostgreSQL reads less. */
export function withoutNulls(row: InputRow): InputRow {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** The rows of a statement as its parameter, distinguished by the column `key`. `merge.ts` merges concurrent sets. */
export class RowSet {
  readonly key: string;
  readonly keys: readonly string[];
  readonly #rows: readonly string[];

  private constructor(key: string, keys: readonly string[], rows: readonly string[]) {
    this.key = key;
    this.keys = keys;
    this.#rows = rows;
  }

  static of(key: string, ...rows: InputRow[]): RowSet {
    return new RowSet(
      key,
      rows.map((row) => String(row[key])),
      rows.map((row) => JSON.stringify(withoutNulls(row))),
    );
  }

  /** Joins sets. All have the same key, since they are parameters of one text. */
  static join([first, ...others]: [RowSet, ...RowSet[]]): RowSet {
    const sets = [first, ...others];
    return new RowSet(
      first.key,
      sets.flatMap((set) => set.keys),
      sets.flatMap((set) => set.#rows),
    );
  }

  get size(): number {
    return this.#rows.reduce((sum, row) => sum + row.length, 0);
  }

  toString(): string {
    return `[${this.#rows.join(',')}]`;
  }
}
