import type { Project } from '../../project.ts';
import type { ToolSecret, ToolSecrets } from './secrets.ts';

/** A tool's headers with references to secrets, their URL, and the project with its secrets. */
export type UnfilledHeaders = {
  headers: Record<string, string>;
  url: string;
  project: Pick<Project, 'name' | 'secrets'>;
};

/** A header that cannot be sent, with the reason. The message names a secret, never its value. */
export type RefusedHeader = {
  ok: false;
  header: string;
  code: 'unknown_secret' | 'secret_not_allowed';
  message: string;
};

const REFERENCE = /\$\{secret:([^}]*)\}/g;

/** Replaces `${secret:name}` in header values, or refuses a secret. The result must not be stored or logged. */
export function fillHeaders(
  secrets: ToolSecrets,
  unfilled: UnfilledHeaders,
): { ok: true; headers: Record<string, string> } | RefusedHeader {
  const headers = Object.entries(unfilled.headers);
  const named = headers.flatMap(([header, value]) =>
    [...value.matchAll(REFERENCE)].map(([, name = '']) => ({ header, name })),
  );
  for (const { header, name } of named) {
    const refusal = refuse(name, secrets.get(name), unfilled);
    if (refusal) return { ok: false, header, ...refusal };
  }
  const fill = (_: string, name: string) => secrets.get(name)?.value ?? '';
  const filled = headers.map(([header, value]) => [header, value.replace(REFERENCE, fill)]);
  return { ok: true, headers: Object.fromEntries(filled) };
}

type Refusal = Pick<RefusedHeader, 'code' | 'message'>;

function refuse(name: string, secret: ToolSecret | undefined, { url, project }: UnfilledHeaders): Refusal | null {
  const label = `secret named ${JSON.stringify(name.slice(0, 64))}`;
  if (!secret) {
    const message = `The ${label} was not found. Use a name of PAWL_SECRETS, or ask the operator to add the secret.`;
    return { code: 'unknown_secret', message };
  }
  const isForProject = secret.projects?.includes(project.name) !== false && project.secrets?.includes(name) !== false;
  if (!isForProject) return notAllowed(`The ${label} is not allowed for this project`);
  if (!mayGoTo(secret, new URL(url))) return notAllowed(`The ${label} is not allowed for this host`);
  return null;
}

function notAllowed(sentence: string): Refusal {
  return { code: 'secret_not_allowed', message: `${sentence}. Leave the secret out, or ask the operator to allow it.` };
}

/** Returns whether a secret may be sent to a URL. `hosts` may name the default port, which a URL omits. */
function mayGoTo({ hosts }: ToolSecret, { hostname, port, protocol }: URL): boolean {
  const withPort = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  return !hosts || hosts.includes(hostname) || hosts.includes(withPort);
}
