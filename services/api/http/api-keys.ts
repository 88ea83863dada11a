import { timingSafeEqual } from 'node:crypto';
import { createMiddleware } from 'hono/factory';
import { Misconfigured } from '#core/failure.ts';
import { type AccessKey, digestOf, keyIdOf, type Scope } from '../../process/projects/access-keys.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import type { ApiEnv } from './router.ts';

/**
 * The project of a request, and the scopes of its key. `keyId` is derived from the digest of the key and does not
 * reveal the key.
 */
export type Caller = { project: string; keyId: string | null; scopes: readonly Scope[] };

/**
 * Finds the caller of a key. `projects` are the reachable projects. Without keys, all callers belong to one project.
 */
export type ApiKeys = {
  readonly areSet: boolean;
  readonly projects: string[];
  callerOf(authorization: string | undefined): Caller | null;
};

/** The project of turns that are started without keys. A key for this project gives access to them later. */
export const KEYLESS_PROJECT = 'default';

const KEYLESS: Caller = { project: KEYLESS_PROJECT, keyId: null, scopes: ['admin'] };

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|::1|\[::1\])$/;

/** Returns the callers of the current keys. Without keys, only a loopback host may be served. */
export function makeApiKeys(accessKeys: () => AccessKey[], host: string): ApiKeys {
  if (accessKeys().length === 0 && !LOOPBACK.test(host)) {
    throw new Misconfigured(
      `HOST is ${host}, which other machines can reach, but no API key is configured. Set PAWL_API_KEYS or PAWL_PROJECTS, or listen on 127.0.0.1.`,
    );
  }
  const callers = remembered(accessKeys, (keys) => keys.map(callerOf));
  return {
    get areSet() {
      return callers().length > 0;
    },
    get projects() {
      return callers().length > 0 ? [...new Set(callers().map(({ project }) => project))] : [KEYLESS_PROJECT];
    },
    callerOf: (authorization) => (callers().length === 0 ? KEYLESS : match(callers(), authorization)),
  };
}

/** Derives a result from a value, again after each change of the value. */
function remembered<Value, Derived>(read: () => Value, derive: (value: Value) => Derived): () => Derived {
  let last: { value: Value; derived: Derived } | undefined;
  return () => {
    const value = read();
    if (!last || last.value !== value) last = { value, derived: derive(value) };
    return last.derived;
  };
}

type KeyedCaller = Caller & { digest: Buffer };

function callerOf({ project, key, scopes }: AccessKey): KeyedCaller {
  return { project, keyId: keyIdOf(key), scopes, digest: digestOf(key) };
}

/** Compares with every key in constant time, so that the duration reveals no part of a key. */
function match(keys: KeyedCaller[], authorization: string | undefined): Caller | null {
  const given = digestOf(/^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '');
  let caller: Caller | null = null;
  for (const key of keys) if (timingSafeEqual(key.digest, given)) caller = key;
  return caller;
}

/** Refuses a request without a valid key. Sets its project and the scopes of its key. */
export function authenticate(keys: ApiKeys) {
  return createMiddleware<ApiEnv>(async (c, next) => {
    const caller = keys.callerOf(c.req.header('authorization'));
    if (!caller) throw refused('invalid_api_key');
    c.set('project', caller.project);
    c.set('keyId', caller.keyId);
    c.set('scopes', caller.scopes);
    await next();
  });
}
