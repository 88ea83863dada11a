import { expect, test } from 'vitest';
import { plainProject } from '#core/project.ts';
import { fillHeaders } from '#core/tools/http/headers.ts';
import { parseToolSecrets } from '#core/tools/http/secrets.ts';

const secret = (name: string) => `\${secret:${name}}`;

const secrets = parseToolSecrets(
  JSON.stringify({
    user: 'ada.lovelace',
    odd: `$&${secret('user')}`,
    bound: { value: 'for-one-host', hosts: ['api.example.com', 'other.example.com:8443', 'plain.example.com:80'] },
    alphas: { value: 'for-one-project', projects: ['alpha'] },
    nobodys: { value: 'for-no-project', projects: [] },
  }),
);

const fill = (headers: Record<string, string>, url = 'https://api.example.com/', project = 'alpha') =>
  fillHeaders(secrets, { headers, url, project: plainProject(project) });

test('all secret references in a header value are replaced once', () => {
  const headers = { Authorization: `Basic ${secret('user')}:${secret('odd')}`, 'X-User': secret('user').repeat(2) };

  const filled = fill(headers);

  expect(filled).toEqual({
    ok: true,
    headers: { Authorization: `Basic ada.lovelace:$&${secret('user')}`, 'X-User': 'ada.lovelaceada.lovelace' },
  });
});

test('other text and references in header names are not replaced', () => {
  const headers = {
    [`X-${secret('user')}`]: 'plain',
    'X-Other': '$secret:user $ {secret:user} {secret:user} ${secret:',
  };

  expect(fill(headers)).toEqual({ ok: true, headers });
});

test.each(['unknown', '', 'User', 'constructor', '__proto__', ' user'])('the secret %j is unknown', (name) => {
  const filled = fill({ 'X-Fine': secret('user'), 'X-Bad': `${secret('user')} ${secret(name)}` });

  expect(filled).toMatchObject({ ok: false, header: 'X-Bad', code: 'unknown_secret' });
});

test.each([
  'https://api.example.com/some/path?q=1',
  'https://API.EXAMPLE.COM/',
  'http://api.example.com:9000/',
  'https://other.example.com:8443/',
  'http://plain.example.com/',
])('a bound secret may be sent to %s', (url) => {
  expect(fill({ 'X-Key': secret('bound') }, url)).toEqual({ ok: true, headers: { 'X-Key': 'for-one-host' } });
});

test.each([
  'https://example.com/',
  'https://api.example.com.evil.net/',
  'https://api.example.com@evil.net/',
  'https://evil.net/api.example.com',
  'https://sub.api.example.com/',
  'https://other.example.com/',
  'https://plain.example.com/',
])('a bound secret is not sent to %s', (url) => {
  const filled = fill({ 'X-Key': secret('bound') }, url);

  expect(filled).toMatchObject({ ok: false, header: 'X-Key', code: 'secret_not_allowed' });
  expect(JSON.stringify(filled)).not.toContain('for-one-host');
});

test('a secret of some projects is refused to all other projects', () => {
  const codeOf = (name: string, project: string) => {
    const filled = fill({ 'X-Key': secret(name) }, 'https://api.example.com/', project);
    return filled.ok ? 'ok' : filled.code;
  };

  const codes = [codeOf('alphas', 'alpha'), codeOf('alphas', 'beta'), codeOf('nobodys', 'alpha')];

  expect(codes).toEqual(['ok', 'secret_not_allowed', 'secret_not_allowed']);
});

test.each([
  [null, true],
  [['user'], true],
  [['odd'], false],
  [[], false],
])('a project with the secrets %j may use only these, if they allow the project', (own, ok) => {
  const project = { ...plainProject('alpha'), secrets: own };
  const ask = (name: string) =>
    fillHeaders(secrets, { headers: { 'X-User': secret(name) }, url: 'https://api.example.com/', project });

  expect(ask('user')).toMatchObject(ok ? { ok } : { ok, code: 'secret_not_allowed' });
  expect(fillHeaders(secrets, { headers: { a: secret('nobodys') }, url: 'https://a.example/', project })).toMatchObject(
    {
      code: 'secret_not_allowed',
    },
  );
});
