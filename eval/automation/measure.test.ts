import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../../test/kit/http.ts';
import { chromeHttps, curl } from '../../test/kit/visitors/visitors.ts';
import { type Testbed, startTestbed } from './testbed.ts';
import { measure } from './measure.ts';
import type { Row } from './measure-all.ts';
import { automationTable, report } from './report.ts';
import { tools } from './tool-list.ts';
import { fileNameOf, type Goal, type Tool, type Visit } from './tool.ts';
import { isMet } from './verdict.ts';

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed();
});
afterAll(() => testbed.close());

/** A client that sends one request with these headers and reports that it arrived. */
function visitWithHeaders(headers: Readonly<Record<string, string>>): Visit {
  const ownHost = Object.entries(headers).filter(([name]) => name !== 'host');
  return async (url) => {
    await send(url, { headers: Object.fromEntries(ownHost) });
    return 'origin';
  };
}

function measured(visit: Visit, protection: 'strict' | 'plain', name: string, at = testbed) {
  return measure(at, visit, { protection, runs: 2, display: ':none', name });
}

/** A testbed without Guard that allows each request, for tests that check only the counting. */
function openSites() {
  const arrivedPaths: string[] = [];
  const at: Testbed = {
    urlOf: (_protection, path) => path,
    wasReached: (path) => arrivedPaths.includes(path),
    decisions: () =>
      Promise.resolve(
        arrivedPaths.map((path) => ({ path, action: 'allow', block_reasons: [], at: 0 })),
      ),
    keepUploadsIn: () => undefined,
    close: () => Promise.resolve(),
  };
  const visitOnce: Visit = (path) => {
    arrivedPaths.push(path);
    return Promise.resolve('origin');
  };
  return { at, visitOnce };
}

describe('the result of a visit comes from the origin and the events, and not from the tool', () => {
  test('a client that Guard stops is counted as stopped, with its block reasons', async () => {
    const visits = await measured(visitWithHeaders(curl), 'plain', 'curl');
    expect(visits).toMatchObject({ made: 2, reached: 0, broke: [], maxRequests: 1 });
    expect([...visits.reasons]).toContainEqual(['http_client_user_agent', 2]);
  });

  test('a client that Guard allows is counted as arrived', async () => {
    const visits = await measured(visitWithHeaders(chromeHttps), 'plain', 'plain-chrome');
    expect(visits).toMatchObject({ made: 2, reached: 2 });
  });

  test('the same client does not pass the challenge of the strict site', async () => {
    const visits = await measured(visitWithHeaders(chromeHttps), 'strict', 'strict-chrome');
    expect(visits).toMatchObject({ made: 2, reached: 0 });
  });

  test('a tool that fails is not counted as stopped', async () => {
    const visits = await measured(
      () => Promise.reject(new Error('no browser\nat somewhere')),
      'strict',
      'broken',
      openSites().at,
    );
    expect(visits).toMatchObject({ made: 0, reached: 0, broke: ['no browser'], restarts: 4 });
  });

  test('a tool that never sends a request is not counted as stopped', async () => {
    const visits = await measured(
      () => Promise.resolve('screen'),
      'strict',
      'absent',
      openSites().at,
    );
    expect(visits).toMatchObject({ made: 0, broke: ['did not send a request'], restarts: 4 });
  });

  test.each([
    ['breaks at its start', () => Promise.reject(new Error('no window'))],
    ['never sends a request', () => Promise.resolve('screen' as const)],
  ])(
    'a browser that at first %s is started again, and the second visit is counted',
    async (how, fail) => {
      const { at, visitOnce } = openSites();
      let starts = 0;
      const visit: Visit = (url, resources) =>
        (starts += 1) % 2 === 1 ? fail() : visitOnce(url, resources);
      const visits = await measured(visit, 'plain', `late-${how.split(' ')[0] ?? ''}`, at);
      expect(visits).toMatchObject({ made: 2, reached: 2, broke: [], restarts: starts - 2 });
      expect(visits.restarts).toBeGreaterThan(0);
    },
  );

  test('a tool that fails after its request is not started again, and its visit is not counted', async () => {
    const { at, visitOnce } = openSites();
    const visit: Visit = async (url, resources) => {
      await visitOnce(url, resources);
      throw new Error('crashed');
    };
    const visits = await measured(visit, 'plain', 'crashing', at);
    expect(visits).toMatchObject({ made: 0, broke: ['crashed'], restarts: 0 });
  });
});

describe('whether a goal is met', () => {
  function row(goal: Goal, changes: Partial<Extract<Row, { kind: 'measured' }>['strict']>): Row {
    const tool: Tool = {
      name: 'tool',
      variant: 'as it comes',
      goal,
      needs: { packages: [], programs: [] },
      visit: () => Promise.resolve('screen'),
    };
    const none = {
      made: 0,
      reached: 0,
      broke: [],
      restarts: 0,
      reasons: new Map<string, number>(),
      maxRequests: 0,
    };
    return { kind: 'measured', tool, strict: { ...none, ...changes }, plain: none };
  }

  test.each([
    ['stopped 100 %', { made: 10, reached: 0 }, true],
    ['stopped 100 %', { made: 10, reached: 1 }, false],
    ['stopped ≥ 90 %', { made: 10, reached: 1 }, true],
    ['stopped ≥ 90 %', { made: 10, reached: 2 }, false],
    ['allowed 100 %', { made: 10, reached: 10, maxRequests: 2 }, true],
    ['allowed 100 %', { made: 10, reached: 9, maxRequests: 2 }, false],
    ['allowed 100 %', { made: 10, reached: 10, maxRequests: 3 }, false],
    ['allowed 100 %', { made: 9, reached: 9, maxRequests: 2, broke: ['no window'] }, false],
    ['stopped 100 %', { made: 0 }, undefined],
  ] as const)('%s with %o: %s', (goal, changes, met) => {
    expect(isMet(row(goal, changes))).toBe(met);
  });

  test('the notes of the table have the number of visits that were started again', () => {
    const note = (restarts: number) => report([row('allowed 100 %', { restarts })], 'abc');
    expect(note(2)).toContain('had not sent a request: tool, as it comes (2)');
    expect(note(0)).toContain('had not sent a request: none');
  });

  test('a tool that was not run is in the table, with the reason for it', () => {
    const { tool } = row('stopped 100 %', {});
    expect(automationTable([{ kind: 'not run', tool, why: 'not installed: driver' }])).toContain(
      'not run: not installed: driver',
    );
  });
});

test('every tool has a different name for paths and folders', () => {
  const names = tools.map((tool) => fileNameOf(tool));
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(40);
});
