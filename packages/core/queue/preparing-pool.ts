import pg from 'pg';

/** SQLSTATE of a prepared statement whose table or function has changed since; nothing of it was run. */
const HAS_CHANGED = '0A000';

/** BullMQ sends the same few statements again and again as texts. Under a name each connection parses and plans one once. */
export class PreparingPool extends pg.Pool {
  readonly #names = new Map<string, string>();
  #named = 0;

  // pg.Pool knows nine forms of this; BullMQ asks with a text and its values.
  override query = ((...asked: unknown[]) => {
    const [text, values] = asked;
    const isBullMqs = asked.length === 2 && typeof text === 'string' && Array.isArray(values);
    return isBullMqs ? this.#queryByName(text, values) : super.query(...(asked as [never]));
  }) as pg.Pool['query'];

  /** Where a migration has changed what a statement answers, connections that have it prepared take it under a new name. */
  async #queryByName(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const name = this.#nameOf(text);
    try {
      return await super.query({ name, text, values });
    } catch (error) {
      if ((error as { code?: unknown }).code !== HAS_CHANGED) throw error;
      if (this.#names.get(text) === name) this.#names.delete(text);
      return super.query({ name: this.#nameOf(text), text, values });
    }
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known) return known;
    this.#named += 1;
    const name = `bullmq-${this.#named}`;
    this.#names.set(text, name);
    return name;
  }
}
