/**
 * Runs every test and prints the slowest files and a summary line. If a tool is missing on this machine, it prints the
 * skipped tests and how to install the tool. Arguments go to vitest (file filters, -t). With `GUARD_TEST_ALL_TOOLS=1` a
 * missing tool is a failure.
 */
import { relative } from 'node:path';
import { parseCLI, startVitest, type TestModule } from 'vitest/node';
import { missingTools } from '../test/kit/tools.ts';

const SLOWEST = 20;

const { filter, options } = parseCLI(['vitest', ...process.argv.slice(2)]);
const vitest = await startVitest(filter, { ...options, watch: false });
const modules = vitest.state.getTestModules();
const counts = { passed: 0, failed: 0, skipped: 0 };
for (const module of modules) {
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state !== 'pending') counts[state] += 1;
  }
  if (module.errors().length > 0) counts.failed += 1;
}
const seed = vitest.config.env['GUARD_TEST_SEED'];
await vitest.close();
counts.failed += vitest.state.getUnhandledErrors().length;
if (counts.passed + counts.failed === 0) counts.failed = 1;

if (modules.length > SLOWEST) printTimes();
if (counts.failed > 0) console.log(`Property tests took GUARD_TEST_SEED=${seed}`);
const missing = missingTools();
for (const { name, tests, install } of missing) {
  console.log(`NOT RUN, ${name} is missing: ${tests}. To run it: ${install}`);
}
if (missing.length > 0 && process.env['GUARD_TEST_ALL_TOOLS'] === '1') counts.failed += 1;
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** The time for loading a test file and running its tests and hooks, in milliseconds. */
function timeOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return collectDuration + duration;
}

function printTimes(): void {
  const seconds = (ms: number) => (ms / 1_000).toFixed(1).padStart(7);
  const projects = Map.groupBy(modules, ({ project }) => project.name);
  console.log('\nSeconds by project, and for the slowest files:');
  for (const [name, own] of projects) {
    const sum = own.reduce((total, module) => total + timeOf(module), 0);
    console.log(`${seconds(sum)} ${name} (${own.length} files)`);
  }
  const slowest = modules.toSorted((one, other) => timeOf(other) - timeOf(one));
  for (const module of slowest.slice(0, SLOWEST)) {
    console.log(`${seconds(timeOf(module))} ${relative(process.cwd(), module.moduleId)}`);
  }
}
