import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Answer, type Ground, type Shot, SITES } from './ground.ts';
import { byRunningThePage, peoplePass, readsAll } from './solver.ts';
import { sessions } from './solver-techniques.ts';
import type { Field, Technique } from './technique.ts';
import { BOTH, volley } from './volley.ts';

/**
 * Programs that copy the handshakes of a browser, and not only its header fields. They use curl_cffi, a build of curl
 * for this.
 */

const PROGRAM = join(import.meta.dirname, 'programs', 'imitate.py');
/** A Python that has curl_cffi: `pip install curl_cffi` in a virtual environment that is on the PATH. */
const PYTHON = 'python3';

/** The browsers, as curl_cffi names them. Each has handshakes and header fields of its own. */
const BROWSERS = [
  ...['chrome131', 'chrome136', 'chrome142', 'chrome146', 'chrome150', 'edge101'],
  ...['safari184', 'safari260', 'safari260_ios', 'firefox135', 'firefox144', 'firefox147'],
];
const NEWEST = 'chrome150';

/** What a browser sends with a file or an upload, in place of what it sends for a page. */
const NO_PAGE = {
  accept: '*/*',
  'upgrade-insecure-requests': null,
  'sec-fetch-user': null,
  'sec-fetch-site': 'same-origin',
};

/**
 * Runs a technique on a ground where the program makes each request. Its processor time counts as that of the attacker.
 */
async function imitating<T>(field: Field, run: (field: Field, as: AsBrowser) => Promise<T>) {
  const program = spawn(PYTHON, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  createInterface(program.stdout).on('line', (line) => {
    const said = JSON.parse(line) as Said;
    if ('ms' in said) field.alsoSpent(said.ms);
    else if ('error' in said) waiting.get(said.id)?.reject(new Error(said.error));
    else waiting.get(said.id)?.resolve(said);
  });
  const as: AsBrowser = (browser) => ({
    ...field.ground,
    send(shot) {
      const { site, scheme, path, from: address, body = null, isFile: file = false } = shot;
      const [id, port, host] = [waiting.size, field.ground.port(scheme), SITES[site]];
      const url = `${scheme}://${host}:${port}${path}`;
      const question = {
        id,
        browser,
        address,
        host,
        url,
        port,
        headers: fieldsOf(shot),
        body,
        file,
      };
      const answer = Promise.withResolvers<Answer>();
      waiting.set(id, answer);
      program.stdin.write(`${JSON.stringify(question)}\n`);
      return answer.promise;
    },
  });
  try {
    return await run(field, as);
  } finally {
    program.stdin.end();
    await once(program, 'close');
  }
}

type AsBrowser = (browser: string) => Ground;

type Said =
  | (Answer & { readonly id: number })
  | { readonly id: number; readonly error: string }
  | { readonly ms: number };

function fieldsOf({ headers, cookie, body, isFile = false }: Shot) {
  return {
    ...((isFile || body !== undefined) && NO_PAGE),
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

/** Says what is not installed. Undefined when the program can run. */
async function missing(): Promise<string | undefined> {
  const tried = spawn(PYTHON, ['-c', 'import curl_cffi'], { stdio: 'ignore' });
  const code = await once(tried, 'exit').then(
    ([exit]) => exit as number,
    () => -1,
  );
  return code === 0 ? undefined : 'not installed: curl_cffi of Python';
}

/** With each browser, asks for `each` pages from each of `addresses` addresses. */
function pages(field: Field, browsers: readonly string[], addresses: number, each: number) {
  return imitating(field, async (_field, as) => {
    const counts = browsers.map((browser, at) => {
      const ground = as(browser);
      const prefix = `${field.prefix}${browser}/`;
      const from = (index: number) => field.address(index % addresses).replace('.0.', `.${at}.`);
      const shot = (index: number) => ({ from: from(index), headers: {} });
      return volley({ ...field, ground, prefix }, addresses * each, shot, addresses);
    });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  });
}

/** They need no solver. */
export const imitators: readonly Technique[] = [
  {
    name: 'imitates Chrome with its handshakes, one address, 300 pages',
    sites: ['default'],
    schemes: BOTH,
    atMost: 5,
    missing,
    run: (field) => pages(field, [NEWEST], 1, 300),
  },
  {
    name: 'imitates twelve browsers with their handshakes, an address each, 20 pages each',
    sites: ['default'],
    schemes: BOTH,
    atMost: 5 * BROWSERS.length,
    missing,
    run: (field) => pages(field, BROWSERS, 1, 20),
  },
  {
    name: 'the same, where each session has to pass',
    sites: ['strict'],
    schemes: BOTH,
    atMost: 0,
    missing,
    run: (field) => pages(field, BROWSERS, 1, 20),
  },
  {
    name: 'imitates Chrome with its handshakes from 200 addresses, one page each',
    sites: ['default'],
    schemes: BOTH,
    atMost: 100,
    missing,
    run: (field) => pages(field, [NEWEST], 200, 1),
  },
  {
    // Last, because the pressure that it causes would stop the rows after it.
    name: 'imitates twelve browsers with their handshakes, each from 100 addresses, one page each',
    sites: ['default'],
    schemes: ['https'],
    // New shapes together have 200 pages in about 20 seconds.
    atMost: 230,
    missing,
    run: (field) => pages(field, BROWSERS, 100, 1),
  },
];

export const imitatingSolvers: readonly Technique[] = [undefined, peoplePass].map((before) => ({
  name: `solver: runs the function of the page, with the handshakes of Chrome${before ? ', after people with three engines passed' : ''}`,
  // On the default site it would get a free page, and would solve nothing.
  sites: ['strict'] as const,
  schemes: BOTH,
  atMost: 0,
  missing,
  ...(before && { before }),
  run: (field: Field) =>
    imitating(field, (_field, as) =>
      sessions({ ...field, ground: as(NEWEST) }, 20, readsAll, {}, byRunningThePage),
    ),
}));
