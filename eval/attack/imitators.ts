import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import {
  type Answer,
  type AttackRequest,
  type Scheme,
  type Site,
  SITES,
  type Testbed,
} from './testbed.ts';
import { writeWithPageCode, letPeoplePass, solveWholePage } from './solver.ts';
import { openSessions } from './solver-techniques.ts';
import type { Attack, Technique } from './technique.ts';
import { BOTH, sendMany } from './send-many.ts';

/**
 * Programs that copy the handshakes of a browser, and not only its header fields. They use curl_cffi, a build of curl
 * for this purpose.
 */

const PROGRAM = join(import.meta.dirname, 'programs', 'imitate.py');
/** A Python with curl_cffi, installed with `pip install curl_cffi` in a virtual environment on the PATH. */
const PYTHON = 'python3';

/** The browsers by their names in curl_cffi. Their handshakes and header fields differ. */
const BROWSERS = [
  ...['chrome131', 'chrome136', 'chrome142', 'chrome146', 'chrome150', 'edge101'],
  ...['safari184', 'safari260', 'safari260_ios', 'firefox135', 'firefox144', 'firefox147'],
];
const NEWEST = 'chrome150';

/** Header fields that a browser changes for a file or an upload. */
const SUBREQUEST_FIELDS = {
  accept: '*/*',
  'upgrade-insecure-requests': null,
  'sec-fetch-user': null,
  'sec-fetch-site': 'same-origin',
};

/**
 * Runs a technique with a program that sends the requests. The processor time of the program is added to that of the
 * attacker.
 */
async function withImitator<T>(attack: Attack, run: (asBrowser: AsBrowser) => Promise<T>) {
  const program = spawn(PYTHON, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const openAnswers = new Map<number, PromiseWithResolvers<Answer>>();
  createInterface(program.stdout).on('line', (line) => {
    const programLine = JSON.parse(line) as ProgramLine;
    if ('ms' in programLine) attack.addCpuTime(programLine.ms);
    else if ('error' in programLine)
      openAnswers.get(programLine.id)?.reject(new Error(programLine.error));
    else openAnswers.get(programLine.id)?.resolve(programLine);
  });
  const asBrowser: AsBrowser = (browser) => ({
    ...attack.testbed,
    send(request) {
      const { site, scheme, path, from: address, body = null, isFile: file = false } = request;
      const [id, port, host] = [openAnswers.size, attack.testbed.port(scheme), SITES[site]];
      const url = `${scheme}://${host}:${port}${path}`;
      const question = {
        id,
        browser,
        address,
        host,
        url,
        port,
        headers: fieldsOf(request),
        body,
        file,
      };
      const answer = Promise.withResolvers<Answer>();
      openAnswers.set(id, answer);
      program.stdin.write(`${JSON.stringify(question)}\n`);
      return answer.promise;
    },
  });
  try {
    return await run(asBrowser);
  } finally {
    program.stdin.end();
    await once(program, 'close');
  }
}

type AsBrowser = (browser: string) => Testbed;

type ProgramLine =
  | (Answer & { readonly id: number })
  | { readonly id: number; readonly error: string }
  | { readonly ms: number };

function fieldsOf({ headers, cookie, body, isFile = false }: AttackRequest) {
  return {
    ...((isFile || body !== undefined) && SUBREQUEST_FIELDS),
    ...(isFile && { 'sec-fetch-mode': 'no-cors' }),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'sec-fetch-mode': 'cors',
      'sec-fetch-dest': 'empty',
    }),
    ...headers,
    host: undefined,
    connection: undefined,
    ...(cookie !== undefined && { cookie: `_guard=${cookie}` }),
  };
}

/** Returns the name of the missing package. Undefined when the program can run. */
async function findMissing(): Promise<string | undefined> {
  const pythonProgram = spawn(PYTHON, ['-c', 'import curl_cffi'], { stdio: 'ignore' });
  const code = await once(pythonProgram, 'exit').then(
    ([exit]) => exit as number,
    () => -1,
  );
  return code === 0 ? undefined : 'not installed: curl_cffi of Python';
}

/** Requests `each` pages with each browser from each of `addresses` addresses. */
function requestPages(
  attack: Attack,
  browsers: readonly string[],
  addresses: number,
  requestsPerAddress: number,
) {
  return withImitator(attack, async (asBrowser) => {
    const counts = browsers.map((browser, browserIndex) => {
      const testbed = asBrowser(browser);
      const prefix = `${attack.prefix}${browser}/`;
      const from = (index: number) =>
        attack.address(index % addresses).replace('.0.', `.${browserIndex}.`);
      const request = (index: number) => ({ from: from(index), headers: {} });
      return sendMany(
        { ...attack, testbed, prefix },
        addresses * requestsPerAddress,
        request,
        addresses,
      );
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  });
}

/** Requests pages, and solves no challenge. */
function imitator(
  name: string,
  site: Site,
  atMost: number,
  run: Technique['run'],
  schemes: readonly Scheme[] = BOTH,
): Technique {
  return { name, sites: [site], schemes, atMost, findMissing, run };
}

export const imitators: readonly Technique[] = [
  imitator('imitates Chrome with its handshakes, one address, 300 pages', 'default', 5, (attack) =>
    requestPages(attack, [NEWEST], 1, 300),
  ),
  imitator(
    'imitates twelve browsers with their handshakes, an address each, 20 pages each',
    'default',
    5 * BROWSERS.length,
    (attack) => requestPages(attack, BROWSERS, 1, 20),
  ),
  imitator('the same, where each session has to pass', 'strict', 0, (attack) =>
    requestPages(attack, BROWSERS, 1, 20),
  ),
  imitator(
    'imitates Chrome with its handshakes from 200 addresses, one page each',
    'default',
    100,
    (attack) => requestPages(attack, [NEWEST], 200, 1),
  ),
  // This row comes last, because it causes pressure, and the pressure would stop the rows after it. All new client
  // shapes together have 200 free pages in about 20 seconds.
  imitator(
    'imitates twelve browsers with their handshakes, each from 100 addresses, one page each',
    'default',
    230,
    (attack) => requestPages(attack, BROWSERS, 100, 1),
    ['https'],
  ),
];

export const imitatingSolvers: readonly Technique[] = [undefined, letPeoplePass].map((before) => ({
  // The technique runs only on the strict site. On the default site it would get a free page and solve nothing.
  ...imitator(
    `solver: runs the function of the page, with the handshakes of Chrome${before ? ', after people with three engines passed' : ''}`,
    'strict',
    0,
    (attack) =>
      withImitator(attack, (asBrowser) =>
        openSessions(
          { ...attack, testbed: asBrowser(NEWEST) },
          { solve: solveWholePage, write: writeWithPageCode },
        ),
      ),
  ),
  ...(before && { before }),
}));
