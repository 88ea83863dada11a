import { expect, test } from 'vitest';
import { checkUrl } from '#core/egress/check-url.ts';
import { parseEgressAllow } from '#core/egress/policy.ts';

const notPublic = [
  '10.254.0.0',
  '192.168.10.65',
  '172.16.10.65',
  '0.1.2.3',
  '0.0.0.0',
  '127.0.0.1',
  '127.254.254.254',
  '169.254.45.1',
  '169.254.169.254',
  '255.255.255.255',
  '224.1.2.3',
  '192.0.0.0',
  '192.0.2.255',
  '198.51.100.65',
  '203.0.113.6',
  '100.100.0.0',
  '100.100.100.200',
  '192.88.99.3',
  '198.18.0.0',
  '240.240.240.240',
  '168.63.129.16',
  '[::]',
  '[::1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:0:127.0.0.1]',
  '[2001:db8::1]',
  '[2001::1]',
  '[3fff::dead:beef]',
  '[4000::1]',
  '[fe80::dead:beef]',
  '[fec0::1]',
  '[fdee:3a45:9057::1]',
  '[fd00:ec2::254]',
  '[ff02::1]',
  '[2002:c0a8:1::dead:beef]',
  '[2002:7f00:1::]',
  '[64:ff9b::c0a8:0]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::dead:beef]',
  '[5f00::dead:beef]',
  '[100::1:2:3:4]',
];

test.each(notPublic)('a URL with the address %s is refused', (address) => {
  const complaint = checkUrl([], `http://${address}/hook`);

  expect(complaint).toMatch(/is not a public address/);
});

const disguised = [
  'http://0',
  'http://127.1',
  'http://0x7f.1',
  'http://0x7f000001',
  'http://2130706433',
  'http://017700000001',
  'http://①②⑦.⓪.⓪.①',
  'http://１２７.０.０.１',
  'http://127。0。0。1',
  'http://%31%32%37.0.0.1',
  'http://127.0.0.1.',
  'http:127.0.0.1',
  'http:\\\\127.0.0.1\\',
  ' http://127.0.0.1',
  'ht\ntp://127.0.0.1',
  'HTTP://127.0.0.1',
  'https://127.0.0.1',
];

test.each(disguised)('a URL with loopback as %j is refused', (url) => {
  const complaint = checkUrl([], url);

  expect(complaint).toMatch(/is not a public address/);
});

const forbidden: [string, RegExp][] = [
  ['', /absolute http or https URL/],
  ['/hook', /absolute http or https URL/],
  ['http://', /absolute http or https URL/],
  ['file:///etc/passwd', /absolute http or https URL/],
  ['gopher://example.com/', /absolute http or https URL/],
  ['ftp://example.com/', /absolute http or https URL/],
  ['javascript:alert(1)', /absolute http or https URL/],
  ['http://user@example.com/', /user name or password/],
  ['http://user:secret@example.com/', /user name or password/],
  ['http://:secret@example.com/', /user name or password/],
  ['http://example.com:25/', /port that is reserved for other services/],
  ['http://example.com:0/', /port that is reserved for other services/],
  ['http://8.8.8.8:0/', /port that is reserved for other services/],
  ['https://8.8.8.8:53/', /port that is reserved for other services/],
];

test.each(forbidden)('the URL “%s” is refused with a reason', (url, reason) => {
  const complaint = checkUrl([], url);

  expect(complaint).toMatch(reason);
  expect(complaint).not.toContain('secret');
});

const fine = [
  'http://1.1.1.1/',
  'http://8.8.8.8/',
  'http://[2001:4860:4860::8888]/',
  'http://[::ffff:8.8.8.8]/',
  'https://example.com/hook?x=1#y',
  'http://example.com:8080/',
  'http://metadata.google.internal/',
];

test.each(fine)('the URL %s may be submitted', (url) => {
  const complaint = checkUrl([], url);

  expect(complaint).toBeNull();
});

test.each(['localhost', 'LOCALHOST', 'localhost.', 'api.localhost', 'a.b.localhost.', 'localhost:8080'])(
  'a URL with the local host name %s is refused like the address',
  (host) => {
    expect(checkUrl([], `http://${host}/hook`)).toMatch(/is not a public address\. Ask the operator to allow it/);
  },
);

test.each(['mylocalhost', 'localhost.example', 'localhost-a.example'])(
  'the host name %s is looked up before the request',
  (host) => {
    expect(checkUrl([], `http://${host}/hook`)).toBeNull();
  },
);

test.each(['localhost', 'localhost:9000', '127.0.0.0/8', '[::1]/128'])(
  'localhost is accepted if %s is allowed',
  (rule) => {
    expect(checkUrl(parseEgressAllow(rule), 'http://localhost:9000/hook')).toBeNull();
  },
);
