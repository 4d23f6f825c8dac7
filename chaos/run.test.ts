import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FAULTS } from './faults.ts';
import { claimTable, holds, type Result } from './results.ts';

const run = (...args: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'run.ts'), ...args], { encoding: 'utf8' });

describe('npm run chaos', () => {
  test('origin-down runs, and every claim holds', () => {
    const { status, stdout } = run('origin-down', '--json');
    const results = JSON.parse(stdout) as readonly Result[];
    expect(results.filter((result) => !holds(result))).toEqual([]);
    expect(results.map(({ fault, kind }) => `${fault} ${kind}`)).toEqual(['origin-down tried']);
    expect(status).toBe(0);
  }, 120_000);

  test('an unknown fault is an error that lists the known ones', () => {
    const { status, stdout } = run('origin-dwn');
    expect(status).toBe(2);
    for (const fault of Object.keys(FAULTS)) expect(stdout).toContain(fault);
  });
});

describe('the table', () => {
  const traffic = { requests: 3, wrong: new Map([['cut off', 1]]), slowestMs: 2 };
  const claims = [
    { what: 'it goes on', seen: '2 of 3', holds: false },
    { what: 'it says so', seen: 'a line | in the log', holds: true },
  ];
  const outcome = { claims, traffic, residentMiB: { before: 1, after: 2 } };
  const triedResult: Result = { kind: 'tried', fault: 'flood', done: 'water', tookS: 1, outcome };

  test('has a row for each claim, and marks one that does not hold', () => {
    const [, , first, second] = claimTable([triedResult]).split('\n');
    expect(first).toMatch(/^\| flood +\| water +\| it goes on +\| 2 of 3 +\| \*\*NO\*\* +\|$/);
    expect(second).toMatch(/^\| +\| +\| it says so +\| a line \/ in the log +\| yes +\|$/);
    expect(holds(triedResult)).toBe(false);
  });

  test('a fault that broke off does not hold, and one that could not be tried is marked as not run', () => {
    const brokenResult: Result = {
      kind: 'broke off',
      fault: 'fire',
      done: 'a match',
      reason: 'no match',
    };
    const notRun: Result = {
      ...brokenResult,
      kind: 'not run',
      reason: 'redis-server is not installed',
    };
    expect([brokenResult, notRun].map(holds)).toEqual([false, true]);
    expect(claimTable([notRun])).toContain('| redis-server is not installed | not run |');
  });
});
