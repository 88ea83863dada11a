// Prints each failure and `N passed, M failed[, K skipped]` over Vitest's JSON reports. Fails if a test failed or none ran. The
// first report is of a run with Redis. The second is of a run without Redis, and must skip each test of its files that needs Redis.
import { readFileSync } from 'node:fs';

const LEFT_OUT = ' (left out: no Redis here)';
const ON_REDIS = /\bon Redis\b/;

const [withRedis, ...others] = process.argv.slice(2).map(readReport);
const reports = [withRedis, ...others];
const complaints = [...reports.flatMap(failuresOf), ...others.flatMap((report) => notLeftOut(withRedis, report))];

// Once more at the end: thousands of lines lie between the failure and its reader.
for (const complaint of complaints) console.log(`FAILED ${complaint}\n`);
const tests = reports.flatMap(testsOf);
const passed = tests.filter(({ status }) => status === 'passed').length;
const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').length;
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
  return testResults.flatMap((file) => file.assertionResults);
}

/** Tests that failed, and files that could not be loaded, which have no tests to count; a run without any failed too. */
function failuresOf(report) {
  if (report.missing) return [`${report.missing}: the tests ended without a report.`];
  const tests = testsOf(report);
  const files = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const failed = tests.filter(({ status }) => status === 'failed');
  const told = [
    ...failed.map(
      ({ fullName, failureMessages }) => `${fullName}\n${(failureMessages ?? []).join('\n').slice(0, 2000)}`,
    ),
    ...files.map(({ name, message }) => `${name}\n${(message ?? '').slice(0, 2000)}`),
  ];
  return tests.length === 0 && told.length === 0 ? ['no test was run.'] : told;
}

/** The tests that ran on Redis, and that the run without Redis did not skip with the reason. */
function notLeftOut(withRedis, without) {
  const here = new Map(testsOf(without).map((test) => [test.fullName.replace(LEFT_OUT, ''), test]));
  const files = new Set(without.testResults.map(({ name }) => name));
  const played = { testResults: withRedis.testResults.filter(({ name }) => files.has(name)) };
  const onRedis = testsOf(played).filter(({ fullName }) => ON_REDIS.test(fullName));
  if (onRedis.length === 0) return ['no test ran on Redis: the first run has to.'];
  return onRedis.flatMap(({ fullName, status }) => {
    if (status !== 'passed' && status !== 'failed') return [`${fullName}: left out of the run with Redis.`];
    const other = here.get(fullName);
    const isLeftOut = other?.fullName.includes(LEFT_OUT) && other.status !== 'passed' && other.status !== 'failed';
    return isLeftOut ? [] : [`${fullName}: not left out, with the reason, of the run without Redis.`];
  });
}
