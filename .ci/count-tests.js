// Prints what failed and `N passed, M failed[, K skipped]` from Vitest's JSON report; fails when something failed or nothing ran.
import { readFileSync } from 'node:fs';

const { testResults } = readReport(process.argv[2]);
const tests = testResults.flatMap((file) => file.assertionResults);
const count = (status) => tests.filter((test) => test.status === status).length;
// A file that could not be loaded has no tests to count, and counts itself; so does a run without any.
const broken = testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);

// Once more at the end: thousands of lines lie between the failure and whoever looks for it.
for (const test of tests.filter((test) => test.status === 'failed')) {
  console.log(`FAILED ${test.fullName}\n${(test.failureMessages ?? []).join('\n').slice(0, 2000)}\n`);
}
for (const file of broken) console.log(`FAILED ${file.name}\n${(file.message ?? '').slice(0, 2000)}\n`);

const passed = count('passed');
const failed = count('failed') + (tests.length === 0 ? Math.max(broken.length, 1) : broken.length);
const skipped = tests.length - passed - count('failed');
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    console.error('The tests ended without a report.');
    return { testResults: [] };
  }
}
