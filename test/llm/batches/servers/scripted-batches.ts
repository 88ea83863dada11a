import type { ApiAnswer, ApiRequest } from './api-server.ts';

/** The result of a request as the exam scripts it. */
export type ScriptedResult =
  | { id: string; status: number; body: object }
  | { id: string; without: 'expired' | 'cancelled' };

/** A batch that a scripted server has accepted. */
export type ScriptedBatch = {
  id: string;
  key: string;
  createdAt: Date;
  ids: string[];
  bodies: Record<string, unknown>[];
  state: 'running' | 'ended' | 'failed';
  isCancelled: boolean;
  results: ScriptedResult[];
};

/** A scripted server of one batch API, strict as the real server. */
export type ScriptedServer = AsyncDisposable & {
  origin: string;
  asked: ApiRequest[];
  batches: ScriptedBatch[];
  /** The objects that the server still has: batches that can be deleted, and files. */
  kept(): number;
  /** How the server behaves from now on. */
  script: Script;
};

export type Script = {
  /** Answers requests that create a batch, in place of the usual answer. `lost` creates the batch. */
  creation?: ApiAnswer;
  /** Whether lists lack all batches. */
  isHidden?: boolean;
  /** Answers requests for results in place of the results. It gets their text. */
  results?: (text: string) => ApiAnswer;
  /** Answers every request. */
  always?: ApiAnswer;
};

/** The time at which scripted servers create batches. */
export const CREATED_AT = new Date('2026-12-01T12:00:00Z');

const ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** Returns the problems of the ids of a batch. */
export function checkIds(ids: unknown[]): string[] {
  const wrong = ids.filter((id) => typeof id !== 'string' || !ID.test(id)).map(() => 'a wrong id');
  return [...wrong, ...(new Set(ids).size < ids.length ? ['an id twice'] : []), ...(ids.length ? [] : ['no requests'])];
}

/** Returns the problem of an object with other fields than these. */
export function checkFields(value: unknown, fields: string[]): string[] {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  const problem = `fields ${names.sort().join(', ')} instead of ${fields.join(', ')}`;
  return names.sort().join() === [...fields].sort().join() ? [] : [problem];
}
