import { RequestRefused } from '#core/failure.ts';
import type { Project } from '#core/project.ts';

/** The rest of a quota, and the seconds until it is full again. Null if time does not refill it. */
export type QuotaState = { name: QuotaName; remaining: number; resetSeconds: number | null };

type Quota = {
  /** Returns the quota of a project. Null if it has none. */
  of(project: Project): number | null;
  /** The parameters of its policy in the header. */
  parameters: string;
  sentence(quota: number | null, retryAfter: number): string;
};

const QUOTAS = {
  requests_per_minute: {
    of: (project) => project.requestsPerMinute,
    parameters: ';w=60',
    sentence: (quota, retryAfter) => `The project may make ${quota} requests a minute. Try again in ${retryAfter} s.`,
  },
  tokens_per_day: {
    of: (project) => project.tokensPerDay,
    // The draft has no unit for tokens, so their unit is a parameter of Pawl.
    parameters: ';w=86400;pawl-unit="tokens"',
    sentence: (quota, retryAfter) =>
      `The project may use ${quota} tokens a day, counted in UTC. Try again in ${retryAfter} s.`,
  },
  max_queued_turns: {
    of: (project) => project.maxQueuedTurns,
    parameters: '',
    sentence: (quota) =>
      `The project may have ${quota} turns that have not started. Try again when some have started, or cancel some.`,
  },
} satisfies Record<string, Quota>;

/** The quotas of a project, as `PAWL_PROJECTS` names them. */
export type QuotaName = keyof typeof QUOTAS;

/** For a quota that time does not refill: earlier turns must start first. */
const RETRY_SECONDS = 5;

/**
 * Refuses a request over a quota of its project: 429 `quota_exceeded`, with headers that name the quota and its
 * reset.
 */
export function refuseQuota(project: Project, { name, resetSeconds }: Omit<QuotaState, 'remaining'>): never {
  const retryAfter = resetSeconds ?? RETRY_SECONDS;
  const { of, sentence } = QUOTAS[name];
  const refused = new RequestRefused(429, 'quota_exceeded', sentence(of(project), retryAfter));
  const headers = quotaHeaders(project, { name, remaining: 0, resetSeconds });
  refused.headers = { 'Retry-After': String(retryAfter), ...headers };
  throw refused;
}

/**
 * Returns the headers with the quotas of a project, and the rest of a quota (IETF
 * draft-ietf-httpapi-ratelimit-headers-10).
 */
export function quotaHeaders(project: Project, state: QuotaState): Record<'RateLimit-Policy' | 'RateLimit', string> {
  const policies = Object.entries(QUOTAS).flatMap(([name, { of, parameters }]) => {
    const quota = of(project);
    return quota === null ? [] : [`"${name}";q=${quota}${parameters}`];
  });
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: stateItem(state) };
}

/** Returns the rest of a quota, as an item of the header `RateLimit`. */
export function stateItem({ name, remaining, resetSeconds }: QuotaState): string {
  return `"${name}";r=${Math.max(0, remaining)}${resetSeconds === null ? '' : `;t=${resetSeconds}`}`;
}
