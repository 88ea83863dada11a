import { z } from 'zod';
import { Misconfigured } from '../../failure.ts';
import { parseJsonSetting } from '../../json-setting.ts';

const Host = z
  .string()
  .regex(/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i, 'give a host as in a URL, with or without :port')
  .transform((host) => host.toLowerCase());

const VALUE = 'give 6 or more visible ASCII characters on one line, without spaces at the ends';

const Bound = z.strictObject(
  {
    value: z.string(VALUE).regex(/^[!-~][ -~]{4,}[!-~]$/, VALUE),
    hosts: z.array(Host, 'give a list of hosts').optional(),
    projects: z.array(z.string('name a project'), 'give a list of projects').optional(),
  },
  { error: ({ code }) => (code === 'invalid_type' ? 'give a text, or {"value":"…"}' : undefined) },
);
const ToolSecret = z.preprocess((given) => (typeof given === 'string' ? { value: given } : given), Bound);
const Secrets = z.record(z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/), ToolSecret, {
  error: ({ code }) => (code === 'invalid_key' ? 'use a name of up to 64 letters, digits, _ . and -' : undefined),
});

/** A value for headers of HTTP tools. `hosts` limits the receivers, `projects` the projects that may use the secret. */
export type ToolSecret = z.output<typeof Bound>;

export type ToolSecrets = ReadonlyMap<string, ToolSecret>;

const FORM = 'Write {"name":"value"}, or name:value,name:value.';

/**
 * Reads `PAWL_SECRETS`: `{"github":"ghp_…"}`, `{"github":{"value":"ghp_…","hosts":[…],"projects":[…]}}` or, short,
 * `github:ghp_…`. A secret without `hosts` may be sent to any host. Throws Misconfigured without showing a value.
 */
export function parseToolSecrets(text = ''): ToolSecrets {
  const given = text.trim();
  const { data, error } = Secrets.safeParse(
    given.startsWith('{') ? parseJsonSetting('PAWL_SECRETS', given, FORM) : splitPairs(given),
  );
  if (data) return new Map(Object.entries(data));
  const [issue] = error.issues;
  throw new Misconfigured(`${['PAWL_SECRETS', ...(issue?.path ?? [])].join('.')}: ${issue?.message}.`);
}

function splitPairs(text: string): Record<string, string> {
  const entries = text.split(',').map((entry) => entry.trim());
  const pairs = entries.filter((entry) => entry !== '').map((entry, index) => splitPair(entry, index + 1));
  return Object.fromEntries(pairs);
}

const FORMS = 'Write JSON, {"name":"value"}, or name:value,name:value.';

/** Splits an entry. An entry without a name may be a secret, so the message gives only its position. */
function splitPair(entry: string, position: number): [name: string, value: string] {
  const [, name, value] = /^([A-Za-z0-9_.-]{1,64}):(.+)$/s.exec(entry) ?? [];
  if (name !== undefined && value !== undefined) return [name, value];
  throw new Misconfigured(`PAWL_SECRETS: entry ${position} is not name:value. ${FORMS}`);
}
