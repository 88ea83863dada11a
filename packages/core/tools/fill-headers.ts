import type { ToolSecret, ToolSecrets } from './tool-secrets.ts';

/** A tool's headers on their way: to which URL, for which project. */
export type Sending = { headers: Record<string, string>; url: string; project: string };

/** Which header cannot be sent, and why; the message names a secret, never its value. */
export type RefusedHeader = {
  ok: false;
  header: string;
  code: 'unknown_secret' | 'secret_not_allowed';
  message: string;
};

const REFERENCE = /\$\{secret:([^}]*)\}/g;

/**
 * Puts the secrets in that header values name as `${secret:name}`; a reference anywhere else is just text. Refuses what
 * does not exist or may not go there. What comes out must only ever be sent.
 */
export function fillHeaders(
  secrets: ToolSecrets,
  sending: Sending,
): { ok: true; headers: Record<string, string> } | RefusedHeader {
  const headers = Object.entries(sending.headers);
  const named = headers.flatMap(([header, value]) =>
    [...value.matchAll(REFERENCE)].map(([, name = '']) => ({ header, name })),
  );
  for (const { header, name } of named) {
    const refusal = refuse(name, secrets.get(name), sending);
    if (refusal) return { ok: false, header, ...refusal };
  }
  const putIn = (_: string, name: string) => secrets.get(name)?.value ?? '';
  const filled = headers.map(([header, value]) => [header, value.replace(REFERENCE, putIn)]);
  return { ok: true, headers: Object.fromEntries(filled) };
}

type Refusal = Pick<RefusedHeader, 'code' | 'message'>;

function refuse(name: string, secret: ToolSecret | undefined, { url, project }: Sending): Refusal | null {
  const called = `secret named ${JSON.stringify(name.slice(0, 64))}`;
  if (!secret) {
    const message = `There is no ${called}. Name one of PAWL_SECRETS, or ask the operator to add it there.`;
    return { code: 'unknown_secret', message };
  }
  if (secret.projects?.includes(project) === false) return notAllowed(`The ${called} is not for this project`);
  if (!mayGoTo(secret, new URL(url))) return notAllowed(`The ${called} may not be sent to this host`);
  return null;
}

function notAllowed(sentence: string): Refusal {
  return { code: 'secret_not_allowed', message: `${sentence}. Leave it out, or ask the operator to allow it.` };
}

/** A port of the protocol's own does not stand in a URL, but may stand in `hosts`. */
function mayGoTo({ hosts }: ToolSecret, { hostname, port, protocol }: URL): boolean {
  const withPort = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  return !hosts || hosts.includes(hostname) || hosts.includes(withPort);
}
