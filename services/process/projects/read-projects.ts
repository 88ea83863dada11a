import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { Misconfigured } from '#core/failure.ts';
import { isRecord, isReserved, RESERVED } from '#core/json.ts';
import { parseJsonSetting } from '#core/json-setting.ts';
import { type Project, plainProject } from '#core/project.ts';
import type { ToolSecrets } from '#core/tools/http/secrets.ts';
import { AGENT_NAME } from '#core/turn/agents/agent-reference.ts';
import type { Settings } from '../settings.ts';
import { type AccessKey, keyIdOf, readApiKeys, refuseRepeatedKeys, SCOPES, USUAL_SCOPES } from './access-keys.ts';
import { findRepeatedName } from './repeated-name.ts';

/** The projects of an installation, including those of PAWL_API_KEYS, and their keys. */
export type ReadProjects = { projects: Project[]; keys: AccessKey[] };

/**
 * Reads PAWL_PROJECTS, as JSON or as `@` and the path of a JSON file, together with the keys of PAWL_API_KEYS. Throws
 * `Misconfigured` for an invalid value: a sentence with the variable and the path, and never a key.
 */
export function readProjects(
  { PAWL_PROJECTS: text, PAWL_API_KEYS }: Pick<Settings, 'PAWL_PROJECTS' | 'PAWL_API_KEYS'>,
  toolSecrets: ToolSecrets,
): ReadProjects {
  const given = text === undefined ? {} : readJson(contentOf(text));
  const read = Object.entries(given).map(([name, value], index) => readProject({ name, value, index }, toolSecrets));
  const keys = [...readApiKeys(PAWL_API_KEYS), ...read.flatMap((one) => one.keys)];
  refuseRepeatedKeys(keys);
  const named = new Map(keys.map(({ project }) => [project, plainProject(project)]));
  for (const { project } of read) named.set(project.name, project);
  return { projects: [...named.values()], keys };
}

/** Returns the path of the file that PAWL_PROJECTS names, or null if the variable is the JSON itself. */
export function projectsFile(text: string | undefined): string | null {
  return /^\s*@\s*(.*?)\s*$/s.exec(text ?? '')?.[1] ?? null;
}

function contentOf(text: string): string {
  const path = projectsFile(text);
  if (path === null) return text;
  try {
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new Misconfigured(
      `PAWL_PROJECTS: the file ${path} cannot be read${code}. Give @ and the path of a JSON file.`,
    );
  }
}

const FORM = 'Give JSON such as {"web":{"keys":["…"]}}, or @ and the path of such a file.';

function readJson(text: string): Record<string, unknown> {
  const json = parseJsonSetting('PAWL_PROJECTS', text, FORM);
  const repeated = findRepeatedName(text);
  if (repeated) {
    const place = `line ${repeated.line} column ${repeated.column}`;
    throw new Misconfigured(`PAWL_PROJECTS: the name at ${place} is given twice. Give each name once.`);
  }
  if (isRecord(json)) return json;
  throw new Misconfigured(`PAWL_PROJECTS: this is not an object of projects. ${FORM}`);
}

const KEY = 'give a key of visible ASCII characters without spaces, or {"key":"…","scopes":["read"]}';
const SCOPE_LIST = `give a list of one or more of ${SCOPES.join(', ')}`;
const MODEL = 'give models as provider/model, with * only as the last character';

const AGENT = 'give names of agents, without a version or a label';
const AgentNames = z.array(z.string(AGENT).regex(AGENT_NAME, AGENT), 'give a list of names of agents');

const Key = z.preprocess(
  (given) => (typeof given === 'string' ? { key: given } : given),
  z.strictObject(
    {
      key: z.string(KEY).regex(/^[!-~]+$/, KEY),
      scopes: z.array(z.enum(SCOPES, SCOPE_LIST), SCOPE_LIST).min(1, SCOPE_LIST).default(USUAL_SCOPES),
      allowed_agents: AgentNames.optional(),
    },
    { error: ({ code }) => (code === 'invalid_type' ? KEY : undefined) },
  ),
);

/** The maximum integer of a structured header. */
const MOST = 999_999_999_999_999;

function whole(min: number, max = MOST) {
  const error = `give a whole number from ${min} to ${max}`;
  return z.int(error).min(min, error).max(max, error).optional();
}

const WEIGHT = 'give a number above 0';
const DAYS = 'give days as a number above 0 and below 100000';

const GivenProject = z.strictObject(
  {
    keys: z.array(Key, 'give a list of keys').default([]),
    weight: z.number(WEIGHT).positive(WEIGHT).default(1),
    max_active_turns: whole(1),
    max_queued_turns: whole(0),
    requests_per_minute: whole(0),
    tokens_per_day: whole(0),
    allowed_models: z
      .array(z.string(MODEL).regex(/^([A-Za-z0-9_-]+\/[^*]+|[^*]*\*)$/, MODEL), 'give a list of models')
      .optional(),
    allowed_agents: AgentNames.optional(),
    secrets: z.array(z.string('name a secret'), 'give a list of names of PAWL_SECRETS').optional(),
    retention_days: z.number(DAYS).positive(DAYS).max(99_999.999_999_999, DAYS).optional(),
  },
  { error: ({ code }) => (code === 'invalid_type' ? 'give an object such as {"keys":["…"]}' : undefined) },
);

/** An entry of the variable. Messages show its position instead of its name if the name may be a misplaced key. */
type Entry = { name: string; value: unknown; index: number };

function readProject({ name, value, index }: Entry, toolSecrets: ToolSecrets): { project: Project; keys: AccessKey[] } {
  if (!/^[A-Za-z0-9_.-]{1,64}$/.test(name)) {
    const sentence = 'use up to 64 letters, digits, _ . and -';
    throw new Misconfigured(`PAWL_PROJECTS: the name of project ${index + 1} is not valid: ${sentence}.`);
  }
  if (!isRecord(value)) {
    throw new Misconfigured(
      `PAWL_PROJECTS: project ${index + 1} is not an object. Give an object such as {"keys":["…"]}.`,
    );
  }
  if (isReserved(name)) throw new Misconfigured(`PAWL_PROJECTS.${name}: ${RESERVED}.`);
  const { data, error } = GivenProject.safeParse(value);
  const place = `PAWL_PROJECTS.${name}`;
  if (!data) throw explain(place, error.issues[0]);
  const missing = data.secrets?.findIndex((secret) => !toolSecrets.has(secret)) ?? -1;
  if (missing !== -1) {
    const message = 'PAWL_SECRETS has no secret of this name. Add the secret to PAWL_SECRETS, or remove it here.';
    throw new Misconfigured(`${place}.secrets[${missing}]: ${message}`);
  }
  const keys = data.keys.map(({ key, scopes }, at) => ({ key, scopes, project: name, place: `${place}.keys[${at}]` }));
  return { project: projectOf(name, data), keys };
}

function projectOf(name: string, given: z.output<typeof GivenProject>): Project {
  return {
    name,
    weight: given.weight,
    maxActiveTurns: given.max_active_turns ?? null,
    maxQueuedTurns: given.max_queued_turns ?? null,
    requestsPerMinute: given.requests_per_minute ?? null,
    tokensPerDay: given.tokens_per_day ?? null,
    allowedModels: given.allowed_models ?? null,
    allowedAgents: given.allowed_agents ?? null,
    agentsOfKeys: new Map(given.keys.flatMap(listOfKey)),
    secrets: given.secrets ?? null,
    retentionDays: given.retention_days ?? null,
  };
}

function listOfKey({ key, allowed_agents: names }: z.output<typeof Key>): [string, string[]][] {
  return names ? [[keyIdOf(key), names]] : [];
}

function explain(place: string, issue: z.core.$ZodIssue | undefined): Misconfigured {
  const path = [...(issue?.path ?? [])];
  if (path.at(-1) === 'key') path.pop();
  const at = path.reduce<string>(
    (whole, part) => `${whole}${typeof part === 'number' ? `[${part}]` : `.${String(part)}`}`,
    place,
  );
  if (issue?.code !== 'unrecognized_keys') return new Misconfigured(`${at}: ${issue?.message}.`);
  const [field = ''] = issue.keys;
  // A field of another form may be a misplaced key.
  const named = /^[A-Za-z]{1,20}(_[A-Za-z]{1,20}){0,4}$/.test(field) ? ` “${field}”` : '';
  const fields = path[0] === 'keys' ? ['key', 'scopes', 'allowed_agents'] : Object.keys(GivenProject.shape);
  return new Misconfigured(`${at}: unknown field${named}. Known fields: ${fields.join(', ')}.`);
}
