import { RequestRefused } from '#core/failure.ts';
import type { Project } from '#core/project.ts';

/** What a project may use up, as `PAWL_PROJECTS` names it. */
export type QuotaName = 'requests_per_minute' | 'tokens_per_day' | 'max_queued_turns';

/** What is left of a quota, and in how many seconds it is whole again; null where that is no matter of time. */
export type QuotaState = { name: QuotaName; remaining: number; resetSeconds: number | null };

/** Refuses a request over a quota of its project: 429 `quota_exceeded`, with the headers that say which and until when. */
export function refuseQuota(project: Project, { name, resetSeconds }: Omit<QuotaState, 'remaining'>): never {
  const retryAfter = resetSeconds ?? RETRY_SECONDS;
  const refused = new RequestRefused(429, 'quota_exceeded', sentenceOf(project, name, retryAfter));
  const headers = quotaHeaders(project, { name, remaining: 0, resetSeconds });
  refused.headers = { 'Retry-After': String(retryAfter), ...headers };
  throw refused;
}

/** The headers that tell a project its quotas, and what is left of one (IETF draft-ietf-httpapi-ratelimit-headers-10). */
export function quotaHeaders(project: Project, state: QuotaState): Record<'RateLimit-Policy' | 'RateLimit', string> {
  const policies = NAMES.flatMap((name) => policyOf(project, name));
  return { 'RateLimit-Policy': policies.join(', '), RateLimit: stateItem(state) };
}

/** What is left of a quota, as an item of the header `RateLimit`. */
export function stateItem({ name, remaining, resetSeconds }: QuotaState): string {
  return `"${name}";r=${Math.max(0, remaining)}${resetSeconds === null ? '' : `;t=${resetSeconds}`}`;
}

/** For a quota that no time fills again: the turns ahead have to begin. */
const RETRY_SECONDS = 5;

const NAMES: QuotaName[] = ['requests_per_minute', 'tokens_per_day', 'max_queued_turns'];

/** Tokens are no registered unit of the draft, so their unit is a parameter of ours. */
const PARAMETERS: Record<QuotaName, string> = {
  requests_per_minute: ';w=60',
  tokens_per_day: ';w=86400;pawl-unit="tokens"',
  max_queued_turns: '',
};

function policyOf(project: Project, name: QuotaName): string[] {
  const quota = quotaOf(project, name);
  return quota === null ? [] : [`"${name}";q=${quota}${PARAMETERS[name]}`];
}

function quotaOf(project: Project, name: QuotaName): number | null {
  switch (name) {
    case 'requests_per_minute':
      return project.requestsPerMinute;
    case 'tokens_per_day':
      return project.tokensPerDay;
    case 'max_queued_turns':
      return project.maxQueuedTurns;
  }
}

function sentenceOf(project: Project, name: QuotaName, retryAfter: number): string {
  const quota = quotaOf(project, name);
  switch (name) {
    case 'requests_per_minute':
      return `The project may make ${quota} requests a minute. Try again in ${retryAfter} s.`;
    case 'tokens_per_day':
      return `The project may use ${quota} tokens a day, counted in UTC. Try again in ${retryAfter} s.`;
    case 'max_queued_turns':
      return `The project may have ${quota} turns that have not begun. Try again once some of them have, or cancel some.`;
  }
}
