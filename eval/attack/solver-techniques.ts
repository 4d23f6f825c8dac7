import { BOTH, sendMany } from './send-many.ts';
import {
  letPeoplePass,
  loadEveryUrl,
  RECORDED,
  replayRecording,
  type Solve,
  solveSheetOfPage,
  solveSheetOnly,
  solveWholePage,
  visit,
  type Write,
  writeInOldForm,
  writeWithPageCode,
} from './solver.ts';
import type { Attack, Technique } from './technique.ts';
import type { Site } from './testbed.ts';

const CURL = { 'user-agent': 'curl/8.5.0', accept: '*/*' };
const BOTH_SITES = ['default', 'strict'] as const;
const SESSIONS = 20;

interface Solver {
  readonly solve: Solve;
  readonly write?: Write;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Opens new sessions one after the other, each from its own address. */
export async function openSessions(attack: Attack, { solve, write, headers }: Solver) {
  for (let index = 0; index < SESSIONS; index++) {
    const changes = { from: attack.address(index), ...(headers && { headers }) };
    await visit(attack, `${attack.prefix}${index}`, solve, changes, write);
  }
  return SESSIONS;
}

function solverTechnique(
  name: string,
  sites: readonly Site[],
  solver: Solver,
  before?: Technique['before'],
): Technique {
  return {
    name: `solver: ${name}`,
    sites,
    schemes: BOTH,
    atMost: 0,
    ...(before && { before }),
    run: (attack) => openSessions(attack, solver),
  };
}

/** Programs without a browser that answer the challenge. */
export const solvers: readonly Technique[] = [
  solverTechnique('applies the sheet, leaves all other readings out', BOTH_SITES, {
    solve: solveSheetOnly,
  }),
  solverTechnique('the same, and names itself curl', ['strict'], {
    solve: solveSheetOnly,
    headers: CURL,
  }),
  solverTechnique('replays a browser’s readings', BOTH_SITES, { solve: replayRecording }),
  solverTechnique('the same, and applies the style sheet as CSS does', ['strict'], {
    solve: solveSheetOfPage,
  }),
  solverTechnique('the same, and loads every URL that the page names', ['strict'], {
    solve: loadEveryUrl,
  }),
  solverTechnique(
    'reads the page as a browser does, loads what a browser loads, and was finished an hour ago',
    ['strict'],
    { solve: solveWholePage, write: writeInOldForm },
  ),
  solverTechnique(
    'the same, and writes its upload with the function that stands in the page',
    BOTH_SITES,
    { solve: solveWholePage, write: writeWithPageCode },
  ),
  solverTechnique(
    'the same, after people with three engines passed',
    BOTH_SITES,
    { solve: solveWholePage, write: writeWithPageCode },
    letPeoplePass,
  ),
  {
    name: 'solver: one pass of that program, 2,000 pages',
    sites: BOTH_SITES,
    schemes: ['http'],
    // The limit is a tenth of the budget of a full pass, plus the free pages of the default site.
    atMost: 66,
    before: letPeoplePass,
    async run(attack) {
      const from = attack.address(0);
      const cookie = await visit(attack, '/before', solveWholePage, { from }, writeWithPageCode);
      const { headers } = RECORDED;
      return sendMany(attack, 2_000, () => ({ from, cookie, headers }), 20);
    },
  },
];
