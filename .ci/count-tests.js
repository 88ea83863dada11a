// Prints each failure and `N passed, M failed[, K skipped]` over Vitest's JSON reports. Fails if a test failed or a
// report has no test. The last report is of a run without Redis, the others are of runs with Redis. Each test on the queue
// of the run has to run on Redis in one run and on PostgreSQL in the other. The run without Redis must skip each test for
// Redis alone, with the reason.
import { readFileSync } from 'node:fs';

const LEFT_OUT = ' (left out: no Redis here)';
const ON_REDIS = 'BullMQ on Redis ';
const ON_POSTGRES = 'BullMQ on Postgres ';
const REDIS_ALONE = 'Redis alone';

const reports = process.argv.slice(2).map(readReport);
const [withRedis, without] = [reports.slice(0, -1).flatMap(testsOf), testsOf(reports.at(-1))];
const complaints = [...reports.flatMap(failuresOf), ...notOnBoth(), ...notLeftOut()];

// Once more at the end: thousands of lines lie between the failure and its reader.
for (const complaint of complaints) console.log(`FAILED ${complaint}\n`);
const tests = [...withRedis, ...without];
const passed = tests.filter(({ status }) => status === 'passed').length;
const skipped = tests.filter((test) => !hasRun(test)).length;
console.log(`${passed} passed, ${complaints.length} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = complaints.length > 0 ? 1 : 0;

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { testResults: [], missing: file };
  }
}

function testsOf({ testResults }) {
  return testResults.flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ ...test, file: name })));
}

/** Tests that failed, and files that could not be loaded, which have no tests to count; a run without any failed too. */
function failuresOf(report) {
  if (report.missing) return [`${report.missing}: the tests ended without a report.`];
  const tests = testsOf(report);
  const files = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const failed = tests.filter(({ status }) => status === 'failed');
  const failures = [
    ...failed.map((test) => `${nameOf(test)}\n${(test.failureMessages ?? []).join('\n').slice(0, 2000)}`),
    ...files.map(({ name, message }) => `${name}\n${(message ?? '').slice(0, 2000)}`),
  ];
  return tests.length === 0 && failures.length === 0 ? ['no test was run.'] : failures;
}

/** Returns the tests on the queue of the run that ran on one queue only. */
function notOnBoth() {
  const onRedis = ranOn(withRedis, ON_REDIS);
  const onPostgres = ranOn(without, ON_POSTGRES);
  if (onRedis.size === 0) return ['no test ran on Redis: the first runs have to.'];
  return [
    ...[...onRedis].filter((name) => !onPostgres.has(name)).map((name) => `${name}: ran on Redis only.`),
    ...[...onPostgres].filter((name) => !onRedis.has(name)).map((name) => `${name}: ran on PostgreSQL only.`),
    ...[...ranOn(without, ON_REDIS)].map((name) => `${name}: ran on Redis in the run without Redis.`),
  ];
}

/** Returns the tests for Redis alone that did not run with Redis, or that the run without Redis did not skip. */
function notLeftOut() {
  const skipped = new Set(without.filter((test) => !hasRun(test)).map((test) => nameOf(test).replace(LEFT_OUT, '')));
  const forRedis = withRedis.filter(({ fullName }) => fullName.startsWith(REDIS_ALONE));
  return forRedis.flatMap((test) => {
    if (!hasRun(test)) return [`${nameOf(test)}: left out of the run with Redis.`];
    return skipped.has(nameOf(test))
      ? []
      : [`${nameOf(test)}: not left out, with the reason, of the run without Redis.`];
  });
}

/** Returns the names, without the queue, of the tests that ran on this queue. */
function ranOn(tests, queue) {
  const ours = tests.filter((test) => hasRun(test) && test.fullName.startsWith(queue));
  return new Set(ours.map((test) => nameOf(test).replace(queue, '')));
}

function nameOf({ file, fullName }) {
  return `${file} ${fullName}`;
}

function hasRun({ status }) {
  return status === 'passed' || status === 'failed';
}
