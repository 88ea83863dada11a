import { expect, test } from 'vitest';
import { parseToolSecrets } from '#core/tools/http/secrets.ts';
import { knownSecrets } from '#services/process/known-secrets.ts';
import { readProjects } from '#services/process/projects/read-projects.ts';
import { readSettings } from '#services/process/settings.ts';

const knownOf = (env: Record<string, string>) => {
  const [settings, secrets] = [readSettings(env), parseToolSecrets(env.PAWL_SECRETS)];
  const callers = readProjects(settings, secrets).keys.map(({ key }) => key);
  return knownSecrets(settings, secrets, callers);
};

test('each secret of the environment is known: tools, providers, callers, MCP, signing', () => {
  const known = knownOf({
    PAWL_SECRETS: '{"github":"ghp_12","other":{"value":"other-value"}}',
    OPENAI_API_KEY: ' sk-openai ',
    SOME_NEW_API_KEY: 'of-some-new-one',
    PAWL_PROVIDERS: JSON.stringify({
      mine: {
        ...{ kind: 'openai', base_url: 'http://127.0.0.1:9/v1', api_key: 'my-own-key' },
        headers: { 'X-Gateway-Auth': 'Bearer of-a-gateway', 'x-stage': 'production' },
      },
      packaged: {
        ...{ kind: 'ai-sdk', module: 'some-package', export: 'createSome' },
        options: {
          region: 'eu-central-1',
          secretAccessKey: 'of-a-package',
          headers: { Authorization: 'Bearer of-its-headers' },
        },
      },
    }),
    ANTHROPIC_CUSTOM_HEADERS: 'X-Team: of-no-secret\nAuthorization: Bearer of-a-header',
    PAWL_API_KEYS: 'alpha:key-of-alpha, beta:key:of:beta',
    PAWL_PROJECTS: '{"gamma":{"keys":["key-of-gamma",{"key":"read-key-of-gamma","scopes":["read"]}]}}',
    PAWL_WEBHOOK_SECRET: 'whsec_MTIzNDU2Nzg5,whsec_OTg3NjU0MzIx',
    PAWL_MCP: JSON.stringify({
      remote: {
        url: 'http://127.0.0.1:9/',
        headers: { Authorization: 'Bearer of-a-server', Accept: 'application/json' },
      },
      local: { command: 'serve', env: { DB_PASSWORD: 'of-a-command', LANG: 'en_GB.UTF-8' } },
    }),
  });

  expect(known.toSorted()).toEqual(
    [
      ...['ghp_12', 'other-value', 'sk-openai', 'of-some-new-one', 'my-own-key', 'key-of-alpha', 'key:of:beta'],
      ...['MTIzNDU2Nzg5', 'OTg3NjU0MzIx', 'of-a-server', 'of-a-command', 'of-a-header', 'of-a-gateway'],
      ...['of-a-package', 'of-its-headers', 'key-of-gamma', 'read-key-of-gamma'],
    ].toSorted(),
  );
});

test('an ordinary word does not count as a key', () => {
  expect(knownOf({ OPENAI_API_KEY: 'ollama', PAWL_API_KEYS: 'me:secret', DATABASE_URL: 'postgres://a:b@c/d' })).toEqual(
    [],
  );
});
