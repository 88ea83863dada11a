import { expect, test } from 'vitest';
import { checkUrl } from '#core/egress/check-url.ts';
import { parseEgressAllow } from '#core/egress/policy.ts';

const allowed: [string, string][] = [
  ['127.0.0.1', 'http://127.0.0.1:8080/'],
  ['127.0.0.1', 'http://127.1/'],
  ['127.0.0.1:9000', 'http://127.0.0.1:9000/'],
  ['127.0.0.1:80', 'http://127.0.0.1/'],
  ['127.0.0.1:443', 'https://127.0.0.1/'],
  ['127.0.0.0/8', 'http://127.9.9.9:1234/'],
  ['127.0.0.0/8', 'http://[::ffff:127.0.0.1]/'],
  ['10.0.0.0/8:8080', 'http://10.1.2.3:8080/'],
  ['[::1]', 'http://[0:0:0:0:0:0:0:1]/'],
  ['[::1]:8080', 'http://[::1]:8080/'],
  ['[fd00::]/8', 'http://[fd12::1]/'],
  ['[fd00::/8]:8080', 'http://[fd12::1]:8080/'],
  ['fd00::/8:8080', 'http://[fd12::1]:8080/'],
  ['example.com, 10.0.0.1', 'http://10.0.0.1/'],
  ['mail.example.com:25', 'http://MAIL.example.com:25/'],
];

test.each(allowed)('the entry %s allows %s', (entries, url) => {
  const policy = parseEgressAllow(entries);

  const complaint = checkUrl(policy, url);

  expect(complaint).toBeNull();
});

const stillRefused: [string, string][] = [
  ['', 'http://127.0.0.1/'],
  ['localhost', 'http://127.0.0.1/'],
  ['127.0.0.1', 'http://127.0.0.2/'],
  ['127.0.0.1', 'http://[::ffff:127.0.0.1]/'],
  ['127.0.0.1:9000', 'http://127.0.0.1:9001/'],
  ['127.0.0.1:80', 'https://127.0.0.1/'],
  ['10.0.0.0/8:8080', 'http://10.1.2.3/'],
  ['10.0.0.0/8', 'http://[fd00::1]/'],
  ['[::1]', 'http://127.0.0.1/'],
  ['mail.example.com:25', 'http://other.example.com:25/'],
];

test.each(stillRefused)('the entry “%s” does not allow %s', (entries, url) => {
  const policy = parseEgressAllow(entries);

  const complaint = checkUrl(policy, url);

  expect(complaint).toContain('PAWL_EGRESS_ALLOW');
});

const unusable = [
  'http://127.0.0.1',
  '127.0.0.1/',
  '10/8',
  '10.0.0.0/33',
  '10.0.0.0/x',
  '[fd00::]/129',
  '::1',
  'fd00::1',
  'localhost:0',
  'localhost:70000',
  'localhost:',
  '*.internal',
  'a b',
  'user@host',
  '[localhost]',
  ':8080',
];

test.each(unusable)('the entry “%s” is refused by name', (entry) => {
  const parse = () => parseEgressAllow(`127.0.0.1,${entry}`);

  expect(parse).toThrow(`“${entry}”`);
  expect(parse).toThrow(expect.objectContaining({ code: 'misconfigured' }));
});
