import type { Shot } from './ground.ts';
import {
  appliesCss,
  asOnceWritten,
  byRunningThePage,
  sheetAlone,
  loadsAll,
  peoplePass,
  RECORDED,
  readsAll,
  replayed,
  type Solve,
  visit,
  type Write,
} from './solver.ts';
import type { Field, Technique } from './technique.ts';
import { BOTH, volley } from './volley.ts';

const CURL = { 'user-agent': 'curl/8.5.0', accept: '*/*' };

/** So many fresh sessions, one behind the other, each with an address of its own. */
export async function sessions(
  field: Field,
  count: number,
  solve: Solve,
  over: Partial<Shot> = {},
  write?: Write,
) {
  for (let index = 0; index < count; index++) {
    await visit(
      field,
      `${field.prefix}${index}`,
      solve,
      { from: field.address(index), ...over },
      write,
    );
  }
  return count;
}

/** Programs without a browser that answer the challenge. */
export const solvers: readonly Technique[] = [
  {
    name: 'solver: applies the sheet, leaves all other readings out',
    sites: ['default', 'strict'],
    schemes: BOTH,
    atMost: 0,
    run: (field) => sessions(field, 20, sheetAlone),
  },
  {
    name: 'solver: the same, and names itself curl',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 0,
    run: (field) => sessions(field, 20, sheetAlone, { headers: CURL }),
  },
  {
    name: 'solver: replays a browser’s readings',
    sites: ['default', 'strict'],
    schemes: BOTH,
    atMost: 0,
    run: (field) => sessions(field, 20, replayed),
  },
  {
    name: 'solver: the same, and applies the style sheet as CSS does',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 0,
    run: (field) => sessions(field, 20, appliesCss),
  },
  {
    name: 'solver: the same, and loads every URL that the page names',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 0,
    run: (field) => sessions(field, 20, loadsAll),
  },
  {
    name: 'solver: reads the page as a browser does, loads what a browser loads, and was finished an hour ago',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 0,
    run: (field) => sessions(field, 20, readsAll, {}, asOnceWritten),
  },
  {
    name: 'solver: the same, and writes its upload with the function that stands in the page',
    sites: ['default', 'strict'],
    schemes: BOTH,
    atMost: 0,
    run: (field) => sessions(field, 20, readsAll, {}, byRunningThePage),
  },
  {
    name: 'solver: the same, after people with three engines passed',
    sites: ['default', 'strict'],
    schemes: BOTH,
    atMost: 0,
    before: peoplePass,
    run: (field) => sessions(field, 20, readsAll, {}, byRunningThePage),
  },
  {
    name: 'solver: one pass of that program, 2,000 pages',
    sites: ['default', 'strict'],
    schemes: ['http'],
    // A tenth of what a pass is good for, and the free pages of the default site.
    atMost: 66,
    before: peoplePass,
    run: async (field) => {
      const from = field.address(0);
      const cookie = await visit(field, '/before', readsAll, { from }, byRunningThePage);
      const { headers } = RECORDED;
      return volley(field, 2_000, () => ({ from, cookie, headers }), 20);
    },
  },
];
