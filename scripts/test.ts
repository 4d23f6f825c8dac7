/**
 * Runs every test and closes with one summary line and, where a tool was missing on this machine,
 * with what was not run and how to get it. Arguments go to vitest (file filters, -t).
 */
import { startVitest } from 'vitest/node';
import { missingTools } from '../test/kit/tools.ts';

const vitest = await startVitest(process.argv.slice(2), { watch: false });
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const module of vitest.state.getTestModules()) {
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state !== 'pending') counts[state] += 1;
  }
  if (module.errors().length > 0) counts.failed += 1;
}
await vitest.close();
counts.failed += vitest.state.getUnhandledErrors().length;
if (counts.passed + counts.failed === 0) counts.failed = 1;

const missing = missingTools();
for (const { name, tests, install } of missing) {
  console.log(`NOT RUN, ${name} is missing: ${tests}. To run it: ${install}`);
}
if (missing.length > 0 && process.env['GUARD_TEST_EVERYTHING'] === '1') counts.failed += 1;
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = counts.failed === 0 ? 0 : 1;
