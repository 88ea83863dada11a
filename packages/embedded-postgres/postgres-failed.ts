/** PostgreSQL cannot start or keep running. The message is a sentence that says what to do. */
export class PostgresFailed extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PostgresFailed';
  }
}
