import { Failure } from '#core/failure.ts';

/** The client was gone before its request was whole, so that no answer reaches it. */
export class RequestCutOff extends Failure {
  constructor() {
    super('request_cut_off', 'The client went away before its request was whole.');
  }
}

/** Reads of a body: what breaks meanwhile breaks at the client's socket, and says nothing of the database. */
export async function orCutOff<Read>(reading: Promise<Read>): Promise<Read> {
  try {
    return await reading;
  } catch (error) {
    throw error instanceof Error && 'code' in error && !(error instanceof Failure) ? new RequestCutOff() : error;
  }
}
