import pg from 'pg';

/**
 * BullMQ sends the same few statements again and again as texts. Under a name each connection parses and plans one once.
 */
export class PreparingPool extends pg.Pool {
  readonly #names = new Map<string, string>();

  // pg.Pool has nine forms of this; BullMQ uses two, and the types of neither say that it gives a name.
  override query = ((...asked: unknown[]) => {
    const [text, values] = asked;
    if (typeof text !== 'string' || !Array.isArray(values)) return super.query(...(asked as [never]));
    return super.query({ name: this.#nameOf(text), text, values });
  }) as pg.Pool['query'];

  #nameOf(text: string): string {
    const name = this.#names.get(text) ?? `bullmq-${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
