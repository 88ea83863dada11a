/** What may go wrong: a worker, or the API, dies. */
export type ApprovalFault = 'crash';
