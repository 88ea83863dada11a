/** PostgreSQL cannot be started or kept running; the message is one sentence that says what to do. */
export class PostgresFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PostgresFailed';
  }
}
