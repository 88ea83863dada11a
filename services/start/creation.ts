import type { Db, Trx } from '#core/checkpoint/tables.ts';

/** The result of a creating request: the status of its answer, and the resource that the answer shows. */
export type Created = { status: 200 | 201 | 202; resourceId: string };

/** The work of a creating request: a statement that commits by itself, or statements of one transaction. */
export type Creation<M extends Created> =
  | { alone(db: Db): Promise<M>; inTransaction?: never }
  | { inTransaction(trx: Trx): Promise<M>; alone?: never };
