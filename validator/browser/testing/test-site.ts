import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Collect } from '@guard/config/contract/ports';
import type { CollectOutcome } from '../../src/challenge/collect-outcome.ts';
import { answerEchoPage } from '../../src/challenge/echo-page.ts';
import { createWitnessAnswerer } from '../../src/challenge/witnesses/answer-witness.ts';
import { createWitnesses } from '../../src/challenge/witnesses/witnesses.ts';
import { createVerify } from '../../src/challenge/collector.ts';
import { plainProgram } from '../../src/challenge/program/programs.ts';
import { createChallengeIssuer } from '../../src/challenge/tickets/issue.ts';
import {
  createTestStore,
  TERMS,
  type TestStore,
} from '../../src/challenge/testing/challenged-visitor.ts';
import { formSource } from '../../src/request/form-source.ts';
import { compileLook, type Look } from '../../src/pages/look.ts';
import { createScriptFile } from '../../src/script/script-file.ts';
import { loadBrowserBundle } from '../build.ts';
import { DEFAULT_STRENGTHS } from '../../src/challenge/testing/answers.ts';

const STARTED_AT = Date.now();
const NOON = Date.UTC(2026, 10, 24, 12);
/**
 * The clock of the site. It starts at the same noon in each run, because the questions depend on the time. In some half
 * hours Firefox and Chromium give the same answers to most questions.
 */
export const siteClock = (): number => NOON + Date.now() - STARTED_AT;

/** The secrets that sign the tickets of all test sites. */
export const SECRETS = ['the secret of the browser test'];

interface Visit {
  readonly method: string;
  /** The Origin header of the request. */
  readonly origin: string | undefined;
  readonly url: string;
  readonly answered: 'challenge' | 'origin';
  readonly body: string;
}

/** A small site on loopback. It challenges sessions that have no judgement, and serves all other sessions. */
export interface Site {
  readonly url: string;
  readonly store: TestStore;
  readonly visits: Visit[];
  readonly outcomes: CollectOutcome[];
  /** Answers an upload instead of the collector. When it is undefined, the collector answers. */
  intercept: ((response: ServerResponse) => void) | undefined;
  /** Address from which uploads come. */
  ip: string;
  setsCookie: boolean;
  challengesAlways: boolean;
  /**
   * How many forms still get a 204. Then the browser stays on its page, as it does when people decline to send a form
   * again.
   */
  formsDeclined: number;
  /** Answers visits that pass with a file to save. The browser stays on its page. */
  sendsFile: boolean;
  look: Look;
  /** Bits of work that each ticket asks for. */
  work: number;
  readonly server: Server;
}

/** Listens on a free port of 127.0.0.1; the caller closes `server`. */
export async function startSite(): Promise<Site> {
  const store = createTestStore();
  const outcomes: CollectOutcome[] = [];
  const collect = createVerify({
    secrets: SECRETS,
    store,
    clock: siteClock,
    sessionTtlMs: 60_000,
    rejectedTtlMs: 60_000,
    currentRuleSet: () => TERMS.ruleSet,
    priceOf: () => undefined,
    strengthsOf: () => DEFAULT_STRENGTHS,
    allowedOrigin: () => true,
    countryOf: () => undefined,
    signalsOf: () => [],
    report: (outcome) => outcomes.push(outcome),
  });
  const answerWitness = createWitnessAnswerer(createWitnesses(SECRETS), store);
  const server = createServer((request, response) => {
    void answer(site, { collect, answerWitness }, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  const site: Site = {
    url: `http://127.0.0.1:${port}`,
    store,
    visits: [],
    outcomes,
    intercept: undefined,
    ip: '127.0.0.1',
    setsCookie: true,
    challengesAlways: false,
    formsDeclined: 0,
    sendsFile: false,
    look: compileLook(),
    work: 0,
    server,
  };
  return site;
}

const workFile = createScriptFile(loadBrowserBundle().work);
/** The page program of all pages. A test can set another one. */
export const servedPages = { program: plainProgram(loadBrowserBundle().interstitial) };
const issue = createChallengeIssuer({
  secrets: SECRETS,
  programs: { next: () => servedPages.program },
});

/** An unprotected page with a form. The form sends a file to the site in `?to=`. */
function formPage(url: string): string {
  const to = new URL(url, 'http://form.invalid').searchParams.get('to') ?? '';
  return `<h1>a form</h1><form method="post" action="${to}/login" enctype="multipart/form-data"><input name="user" value="ada"><input type="file" name="photo"><button>go</button></form>
<script>const files = new DataTransfer(); files.items.add(new File(['the file itself'], 'a.txt')); document.querySelector('[type=file]').files = files.files;</script>`;
}

async function answer(
  site: Site,
  { collect, answerWitness }: Record<'collect' | 'answerWitness', Collect>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = await wholeBody(request);
  if (body === undefined) return;
  if (url === '/favicon.ico') {
    response.writeHead(404).end();
  } else if (url.startsWith('/form')) {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(formPage(url));
  } else if (url === '/.guard/echo') {
    const echo = answerEchoPage({ method });
    response.writeHead(echo.status, echo.headers).end(echo.body);
  } else if (url === '/.guard/work.js') {
    const program = workFile({ method, path: url, headers, body, ip: '127.0.0.1' });
    response.writeHead(program.status, program.headers).end(program.body);
  } else if (url.startsWith('/.guard/witness?')) {
    const query = url.slice(url.indexOf('?') + 1);
    const file = await answerWitness({ method, path: '', query, headers, body, ip: '' });
    response.writeHead(file.status, file.headers).end(file.body);
  } else if (url === '/.guard/verify') {
    if (site.intercept) {
      site.intercept(response);
      return;
    }
    const collected = await collect({ method, path: '/verify', headers, body, ip: site.ip });
    response.writeHead(collected.status, collected.headers).end(collected.body);
  } else {
    serve(site, { method, url, body, origin: headers.origin }, headers, response);
  }
}

/**
 * The request body. Undefined when the browser closes the connection during the upload, for example with a closed tab.
 */
async function wholeBody(request: IncomingMessage): Promise<string | undefined> {
  try {
    return Buffer.concat(await request.toArray()).toString();
  } catch {
    return undefined;
  }
}

function serve(
  site: Site,
  visit: Omit<Visit, 'answered'>,
  headers: IncomingMessage['headers'],
  response: ServerResponse,
): void {
  const sessionCookie = /_guard=([^;]+)/.exec(headers.cookie ?? '')?.[1];
  const isJudged = sessionCookie !== undefined && site.store.sessions.has(sessionCookie);
  if (isJudged && !site.challengesAlways) {
    site.visits.push({ ...visit, answered: 'origin' });
    if (visit.method === 'POST' && site.formsDeclined > 0) {
      site.formsDeclined -= 1;
      response.writeHead(204).end();
      return;
    }
    const file = site.sendsFile ? { 'Content-Disposition': 'attachment' } : {};
    response.writeHead(200, { 'Content-Type': 'text/html', ...file }).end('<h1>the origin</h1>');
    return;
  }
  site.visits.push({ ...visit, answered: 'challenge' });
  const sessionId = sessionCookie ?? randomUUID();
  const challenge = issue({
    organisation: 'acme',
    sessionId,
    ip: '127.0.0.1',
    userAgent: headers['user-agent'] ?? '',
    client: '',
    found: [],
    acceptLanguage: headers['accept-language'],
    form: formSource({
      method: visit.method,
      url: { scheme: 'http', host: headers.host ?? '' },
      // Repeated fields do not matter here.
      headers: headers as Readonly<Record<string, string>>,
    }),
    look: site.look,
    terms: { ...TERMS, work: site.work },
    uploadUrl: '/.guard/verify',
    nowMs: siteClock(),
  });
  // The attributes are those of a site on https, because browsers accept Secure cookies from a loopback address too.
  const attributes = 'Path=/; SameSite=None; Secure; Max-Age=3600';
  const cookie = { 'Set-Cookie': `_guard=${sessionId}; ${attributes}` };
  response
    .writeHead(403, { ...challenge.headers, ...(site.setsCookie ? cookie : {}) })
    .end(challenge.html);
}
