import { createHash, timingSafeEqual } from 'node:crypto';
import { createMiddleware } from 'hono/factory';
import { Misconfigured } from '#core/failure.ts';
import type { AccessKey, Scope } from '../../process/projects/access-keys.ts';
import { refused } from '../schemas/errors/error-codes.ts';
import type { ApiEnv } from './router.ts';

/** The project of a request and what its key may do; `keyId` is of its digest and does not reveal it. */
export type Caller = { project: string; keyId: string | null; scopes: readonly Scope[] };

/** Finds the caller of a key; `projects` are those that can be reached. Without keys, all callers are one project. */
export type ApiKeys = {
  readonly areSet: boolean;
  readonly projects: string[];
  callerOf(authorization: string | undefined): Caller | null;
};

/** The project of turns that are started while no keys are set; a key for it opens them later. */
export const KEYLESS_PROJECT = 'default';

const KEYLESS: Caller = { project: KEYLESS_PROJECT, keyId: null, scopes: ['admin'] };

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|::1|\[::1\])$/;

/** The callers of the keys there are at each moment. Without keys only a loopback host may be served. */
export function makeApiKeys(accessKeys: () => AccessKey[], host: string): ApiKeys {
  if (accessKeys().length === 0 && !LOOPBACK.test(host)) {
    throw new Misconfigured(
      `HOST is ${host}, which others can reach, and neither PAWL_API_KEYS nor PAWL_PROJECTS has a key. ` +
        'Set one of them, or listen on 127.0.0.1.',
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

/** What is made of a value, anew when it is another one. */
function remembered<Value, Made>(read: () => Value, make: (value: Value) => Made): () => Made {
  let last: { value: Value; made: Made } | undefined;
  return () => {
    const value = read();
    if (!last || last.value !== value) last = { value, made: make(value) };
    return last.made;
  };
}

type KeyedCaller = Caller & { digest: Buffer };

function callerOf({ project, key, scopes }: AccessKey): KeyedCaller {
  return { project, keyId: idOf(key), scopes, digest: digest(key) };
}

/** Compares with every key in constant time, so that the time taken reveals nothing about any of them. */
function match(keys: KeyedCaller[], authorization: string | undefined): Caller | null {
  const given = digest(/^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '');
  let caller: Caller | null = null;
  for (const key of keys) if (timingSafeEqual(key.digest, given)) caller = key;
  return caller;
}

/** Short enough to read out, far too short to derive the key from. */
function idOf(key: string): string {
  return `key_${digest(key).toString('hex').slice(0, 8)}`;
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** Refuses a request without a valid key, and sets the project that it acts for, with what the key may do. */
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
