import { expect, test } from 'vitest';
import { parseToolSecrets } from '#core/tools/http/secrets.ts';

test('secrets are read from JSON, bound to hosts or not', () => {
  const bound = { value: 'ghp_123456', hosts: ['API.github.com', '[::1]:8443'], projects: ['alpha'] };

  const secrets = parseToolSecrets(JSON.stringify({ github: bound, 'my.key_2-b': 'not bound: to anything' }));

  expect([...secrets]).toEqual([
    ['github', { ...bound, hosts: ['api.github.com', '[::1]:8443'] }],
    ['my.key_2-b', { value: 'not bound: to anything' }],
  ]);
});

test('the short form of secrets is name:value, separated by commas', () => {
  const secrets = parseToolSecrets(' github:ghp_123456, other:{"a":"b:c"} ,');

  expect([...secrets]).toEqual([
    ['github', { value: 'ghp_123456' }],
    ['other', { value: '{"a":"b:c"}' }],
  ]);
});

test.each([undefined, '', ' ', '{}'])('the text %j has no secrets', (text) => {
  expect(parseToolSecrets(text).size).toBe(0);
});

test.each([
  [
    'broken JSON',
    '{"github":"hunter2hunter2"',
    /^PAWL_SECRETS: this is not valid JSON, at line \d+ column \d+\. Write \{"name":"value"\}, or name:value/,
  ],
  [
    'a list',
    '["hunter2hunter2"]',
    /^PAWL_SECRETS: entry 1 is not name:value\. Write JSON, \{"name":"value"\}, or name:value,name:value\.$/,
  ],
  ['a value without a name', 'github:ghp_123456,hunter2hunter2', /^PAWL_SECRETS: entry 2 /],
  ['a name with a space', '{"git hub":"hunter2hunter2"}', /^PAWL_SECRETS\.git hub: /],
  ['a name that is too long', `{"${'a'.repeat(65)}":"hunter2hunter2"}`, /^PAWL_SECRETS\.a+: /],
  ['a short value', '{"github":"hunt2"}', /^PAWL_SECRETS\.github\.value: /],
  ['a value of two lines', '{"github":"hunter2\\r\\nhunter2"}', /^PAWL_SECRETS\.github\.value: /],
  ['a value that ends in a space', '{"github":"hunter2hunter2 "}', /^PAWL_SECRETS\.github\.value: /],
  ['a value beyond ASCII', '{"github":"hunter2→hunter2"}', /^PAWL_SECRETS\.github\.value: /],
  ['a number', '{"github":12345678}', /^PAWL_SECRETS\.github: give a text, or \{"value":"…"\}\.$/],
  ['no value', '{"github":{"hosts":[]}}', /^PAWL_SECRETS\.github\.value: give 6 or more visible ASCII characters/],
  ['an unknown key', '{"github":{"value":"hunter2hunter2","host":"a"}}', /^PAWL_SECRETS\.github: .*"host"/],
  [
    'a URL for a host',
    '{"github":{"value":"hunter2hunter2","hosts":["https://a.b/"]}}',
    /^PAWL_SECRETS\.github\.hosts/,
  ],
  ['a pattern for a host', '{"github":{"value":"hunter2hunter2","hosts":["*.a.b"]}}', /^PAWL_SECRETS\.github\.hosts/],
])('%s is refused, and the error names the secret, not its value', (_what, text, message) => {
  const parse = () => parseToolSecrets(text);

  expect(parse).toThrow(expect.objectContaining({ code: 'misconfigured' }));
  expect(parse).toThrow(message);
  expect(parse).not.toThrow(/hunt|12345678/);
});
