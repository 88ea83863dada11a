import { createHash, timingSafeEqual } from 'node:crypto';
import { createMiddleware } from 'hono/factory';
import { Misconfigured, RequestRefused } from '#core/failure.ts';
import type { ApiEnv } from './router.ts';

/** The project a request acts for; `keyId` names the key by its digest and does not reveal it. */
export type Caller = { project: string; keyId: string | null };

/** Finds the caller of a key; `projects` are those that can be reached. Without keys, all callers are one project. */
export type ApiKeys = {
  areSet: boolean;
  projects: string[];
  callerOf(authorization: string | undefined): Caller | null;
};

/** The project of turns that are started while no keys are set; a key for it opens them later. */
export const KEYLESS_PROJECT = 'default';

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|::1|\[::1\])$/;

/** Reads PAWL_API_KEYS (`project:key`, comma-separated). Without keys only a loopback host may be served. */
export function readApiKeys(text: string | undefined, host: string): ApiKeys {
  if (text === undefined) {
    const callerOf = () => ({ project: KEYLESS_PROJECT, keyId: null });
    if (LOOPBACK.test(host)) return { areSet: false, projects: [KEYLESS_PROJECT], callerOf };
    throw new Misconfigured(
      `HOST is ${host}, which others can reach, and PAWL_API_KEYS is not set. Set it, or listen on 127.0.0.1.`,
    );
  }
  const keys = text.split(',').map(readKey);
  const projects = [...new Set(keys.map(({ project }) => project))];
  return { areSet: true, projects, callerOf: (authorization) => match(keys, authorization) };
}

type Key = Caller & { digest: Buffer };

function readKey(entry: string): Key {
  const [, project, key] = /^\s*([A-Za-z0-9_.-]+):(\S+)\s*$/.exec(entry) ?? [];
  if (project && key) return { project, keyId: idOf(key), digest: digest(key) };
  throw new Misconfigured('PAWL_API_KEYS must be a comma-separated list of project:key.');
}

/** Compares with every key in constant time, so that the time taken reveals nothing about any of them. */
function match(keys: Key[], authorization: string | undefined): Caller | null {
  const given = digest(/^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '');
  let caller: Caller | null = null;
  for (const { project, keyId, ...key } of keys) if (timingSafeEqual(key.digest, given)) caller = { project, keyId };
  return caller;
}

/** Short enough to read out, far too short to derive the key from. */
function idOf(key: string): string {
  return `key_${digest(key).toString('hex').slice(0, 8)}`;
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Refuses a request without a valid key, and sets the project that it acts for. */
export function authenticate(keys: ApiKeys) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const caller = keys.callerOf(c.req.header('authorization'));
    if (!caller) {
      throw new RequestRefused(401, 'invalid_api_key', 'Send a valid key as `Authorization: Bearer <key>`.');
    }
    c.set('project', caller.project);
    c.set('keyId', caller.keyId);
    await next();
  });
}
