import { expect, test } from 'vitest';
import { rankStores } from '#core/rank-stores.ts';
import { addressOfRedis, parseRedisUrl, parseRedisUrls, passwordsOfRedis } from '#core/redis-url.ts';

test.each(['redis://127.0.0.1:6379', 'rediss://me:a,b%2C@redis.example/3', 'redis://localhost?family=6'])(
  '%s is one Redis, and its URL reaches the client unchanged',
  (url) => {
    expect(parseRedisUrl(url)).toEqual({ kind: 'single', url });
  },
);

test('a Sentinel URL gives nodes, master, database and credentials', () => {
  const read = parseRedisUrl('redis+sentinel://me:p%40ss@s1:26380,s2,[::1]:26381/mymaster/2?sentinel_password=other');

  expect(read).toEqual({
    kind: 'sentinel',
    nodes: [
      { host: 's1', port: 26_380 },
      { host: 's2', port: 26_379 },
      { host: '::1', port: 26_381 },
    ],
    master: 'mymaster',
    db: 2,
    access: { username: 'me', password: 'p@ss' },
    sentinelAccess: { password: 'other' },
    tls: false,
  });
});

test('a URL with several hosts gives the nodes of a cluster', () => {
  const read = parseRedisUrl('rediss://:secret@h1:7000,h2:7001,h3');

  const nodes = [7_000, 7_001, 6_379].map((port, index) => ({ host: `h${index + 1}`, port }));
  expect(read).toEqual({ kind: 'cluster', nodes, access: { password: 'secret' }, tls: true });
});

test.each([
  ['127.0.0.1:6379', 'give redis://host:6379 (rediss:// for TLS)'],
  ['redis+sentinel://s1:26379', 'give Sentinel as redis+sentinel://'],
  ['redis+sentinel://s1:26379/mymaster/two', 'give Sentinel as redis+sentinel://'],
  ['redis+sentinel://s1:26379/mymaster?db=2', 'give Sentinel as redis+sentinel://'],
  ['redis://h1:7000,h2:7001/2', 'without a database, since a cluster only has database 0'],
  ['redis://h1:7000, h2:7001', 'give the hosts as host:port'],
  ['redis://h1:7000,h2:70000', 'give the hosts as host:port'],
  ['redis://:50%@h1:7000,h2:7001', 'a % as %25'],
])('%s is refused with advice', (url, advice) => {
  expect(parseRedisUrl(url)).toEqual({ kind: 'wrong', advice: expect.stringContaining(advice) });
});

test.each([
  ['redis://me:p%40ss-word@h:6379/3', 'h:6379/3', ['p@ss-word']],
  ['redis+sentinel://:one@s1,s2/mymaster?sentinel_password=two', 's1,s2/mymaster', ['one', 'two']],
  ['redis://me:one@h1:7000,h2:7001', 'h1:7000,h2:7001', ['one', '']],
])('the log shows %s by its address, and the passwords are known', (url, address, passwords) => {
  expect(addressOfRedis(url)).toBe(address);
  expect(passwordsOfRedis(url)).toEqual(passwords);
});

test('several URLs give several Redis of any kind', () => {
  const given = ' redis://me:one-word@a:6379/2  redis+sentinel://:two-words@s1,s2/mymaster\nredis://c1:7000,c2:7001 ';

  const read = parseRedisUrls(given);

  const found = read.kind === 'read' ? read.all.map(({ address, to }) => [to.kind, address]) : read;
  expect(found).toEqual([
    ['single', 'a:6379/2'],
    ['sentinel', 's1,s2/mymaster'],
    ['cluster', 'c1:7000,c2:7001'],
  ]);
  expect(addressOfRedis(given)).toBe('a:6379/2 and s1,s2/mymaster and c1:7000,c2:7001');
  expect(passwordsOfRedis(given)).toEqual(['one-word', 'two-words', '', '', '']);
});

test.each([
  ['redis://a:6379 redis://b:6379 redis://me:secret@a:6379', 'give each Redis once'],
  ['redis://a:6379 b:6379', 'Separate the URLs of several Redis with spaces'],
  ['  ', 'give redis://host:6379'],
])('the list %s is refused with advice', (urls, advice) => {
  expect(parseRedisUrls(urls)).toEqual({ kind: 'wrong', advice: expect.stringContaining(advice) });
});

test('removing a Redis moves only its own turns, and turns are spread evenly', () => {
  const stores = ['a', 'b', 'c', 'd'].map((address) => ({ address }));
  const turnIds = Array.from({ length: 2_000 }, (_, index) => `turn_${index}`);
  const homeOf = (turnId: string, among = stores) => rankStores(among, turnId)[0]!.address;

  const moved = turnIds.filter((turnId) => homeOf(turnId, stores.toReversed().slice(0, 3)) !== homeOf(turnId));
  const counts = stores.map(({ address }) => turnIds.filter((turnId) => homeOf(turnId) === address).length);

  expect(new Set(moved.map((turnId) => homeOf(turnId)))).toEqual(new Set(['a']));
  expect(Math.min(...counts) / Math.max(...counts)).toBeGreaterThan(0.8);
});

test.each(['redis://:one/two@h', 'redis://me:one?two@h', 'redis://me:one#two@h'])(
  'the log shows no part of %s, because its password is not encoded',
  (url) => {
    expect(addressOfRedis(url)).toBe('an address that is not a valid URL');
  },
);
