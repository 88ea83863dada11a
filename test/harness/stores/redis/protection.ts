import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { promisify } from 'node:util';

/** The protection of a Redis: a password, and a certificate of 127.0.0.1 that this process trusts from then on. */
export type Protection = { password: string; certificate: string; key: string };

/** Makes a certificate in a folder. Returns null if the PATH has no `openssl`. */
export async function createProtection(folder: string): Promise<Protection | null> {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const files = ['-keyout', key, '-out', certificate];
  const about = ['-days', '2', '-subj', '/CN=redis-of-a-test', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const made = await promisify(execFile)('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    ...files,
    ...about,
  ])
    .then(() => true)
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return false;
    });
  if (!made) return null;
  setDefaultCACertificates([...getCACertificates('default'), await readFile(certificate, 'utf8')]);
  return { password: 'of-this-test', certificate, key };
}

export function settingsOf({ password, certificate, key }: Protection, port: number): Record<string, string> {
  return {
    ...{ port: '0', 'tls-port': String(port), 'tls-auth-clients': 'no', requirepass: password },
    ...{ 'tls-cert-file': certificate, 'tls-key-file': key, 'tls-ca-cert-file': certificate, 'tls-replication': 'yes' },
  };
}
