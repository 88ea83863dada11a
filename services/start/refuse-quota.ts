import { RequestRefused } from '#core/failure.ts';
import type { Project } from '#core/project.ts';

/** What is left of a quota, and in how many seconds it is whole again; null where that is no matter of time. */
export type QuotaState = { name: QuotaName; remaining: number; resetSeconds: number | null };

type Quota = {
  /** The quota of a project; null without one. */
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
    // Tokens are no registered unit of the draft, so their unit is a parameter of ours.
    parameters: ';w=86400;pawl-unit="tokens"',
    sentence: (quota, retryAfter) =>
      `The project may use ${quota} tokens a day, counted in UTC. Try again in ${retryAfter} s.`,
  },
  max_queued_turns: {
    of: (project) => project.maxQueuedTurns,
    parameters: '',
    sentence: (quota) =>
      `The project may have ${quota} turns that have not begun. Try again once some of them have, or cancel some.`,
  },
} satisfies Record<string, Quota>;

/** The quotas of a project, as `PAWL_PROJECTS` names them. */
export type QuotaName = keyof typeof QUOTAS;

/** For a quota that no time fills again: the turns ahead have to begin. */
const RETRY_SECONDS = 5;

/** Refuses a request over a quota of its project: 429 `quota_exceeded`, with the headers that say which and until when. */
export function refuseQuota(project: Project, { name, resetSeconds }: Omit<QuotaState, 'remaining'>): never {
  const retryAfter = resetSeconds ?? RETRY_SECONDS;
  const { of, sentence } = QUOTAS[name];
  const refused = new RequestRefused(429, 'quota_exceeded', sentence(of(project), retryAfter));
  const headers = quotaHeaders(project, { name, remaining: 0, resetSeconds });
  refused.headers = { 'Retry-After': String(retryAfter), ...headers };
  throw refused;
}

/** The headers that tell a project its quotas, and what is left of one (IETF draft-ietf-httpapi-ratelimit-headers-10). */
export function quotaHeaders(project: Project, state: QuotaState): Record<'RateLimit-Policy' | 'RateLimit', string> {
  const policies = Object.entries(QUOTAS).flatMap(([name, { of, parameters }]) => {
    const quota = of(project);
    return quota === null ? [] : [`"${name}";q=${quota}${parameters}`];
  });
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: stateItem(state) };
}

/** What is left of a quota, as an item of the header `RateLimit`. */
export function stateItem({ name, remaining, resetSeconds }: QuotaState): string {
  return `"${name}";r=${Math.max(0, remaining)}${resetSeconds === null ? '' : `;t=${resetSeconds}`}`;
}
