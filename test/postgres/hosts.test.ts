import { expect, test } from 'vitest';
import { hostListProblem, hostsOf, targetProblem } from '#core/postgres/hosts.ts';

test('a URL with several hosts yields a URL for each, without the settings for all', () => {
  const url = 'postgres://me:p%40ss@a:5433,b,[::1]:6000/pawl?sslmode=require&target_session_attrs=read-write';

  expect(hostsOf(url)).toEqual([
    { host: 'a', port: 5433, url: 'postgres://me:p%40ss@a:5433/pawl?sslmode=require' },
    { host: 'b', port: 5432, url: 'postgres://me:p%40ss@b/pawl?sslmode=require' },
    { host: '::1', port: 6000, url: 'postgres://me:p%40ss@[::1]:6000/pawl?sslmode=require' },
  ]);
});

test('a URL with one host is passed to the drivers unchanged', () => {
  const url = 'postgres://me:a,b@db:5432/pawl?target_session_attrs=any';

  expect([hostsOf(url), hostListProblem(url), targetProblem(url)]).toEqual([null, null, null]);
});

test.each([
  ['postgres://a:5432,b:5433/pawl', null],
  ['postgresql://me:x@a,b/pawl?target_session_attrs=primary', null],
  ['postgres://a,/pawl', /give several hosts as host:port,host:port/],
  ['postgres://a:54x,b/pawl', /give several hosts as host:port,host:port/],
  ['postgres://a,b:70000/pawl', /give several hosts as host:port,host:port/],
  ['postgres://a,b/pawl?target_session_attrs=standby', /target_session_attrs must be read-write/],
])('%s is checked in one sentence', (url, problem) => {
  const found = hostListProblem(url) ?? targetProblem(url);

  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeNull();
});
