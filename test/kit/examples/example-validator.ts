import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the application does with the visitor's request. */
export type Enforced =
  | { readonly kind: 'passes' }
  | { readonly kind: 'answered'; readonly status: number; readonly body?: string };

/** A behaviour of a validator, and the effect on a caller (contract 4.1, 7.1). */
export interface Behaviour {
  readonly name: string;
  /** The decision that the caller reads. `none` when there is no usable answer. */
  readonly decision: string;
  readonly enforced: Enforced;
  readonly behave: (response: ServerResponse) => void;
}

export const PAGE = '<!doctype html><title>Prüfung</title>';
export const ROBOTS = 'User-agent: *\nDisallow: /\n';

const PASSES: Enforced = { kind: 'passes' };
const DENIED_ANSWER: Enforced = { kind: 'answered', status: 403 };
const BASE64_PAGE = Buffer.from(PAGE).toString('base64');
const HTML = { 'Content-Type': 'text/html; charset=utf-8' };
/** Header fields and cookies for every decision, with values that would break the message. */
const EXTRAS = {
  headers: {
    'X-Policy': 'yes',
    'Content-Length': '9999',
    'X-Split': 'a\r\nX-Injected: yes',
  },
  cookies: [
    {
      name: '_guard',
      value: 'f662c344',
      domain: '',
      path: '/',
      secure: true,
      same_site: 'None',
      max_age: 2_592_000,
    },
  ],
};
/** Exactly the attributes of this cookie (contract 2.3). */
export const COOKIE_PARTS = ['Max-Age=2592000', 'Path=/', 'SameSite=None', 'Secure'];

function respondWith(
  answer: Readonly<Record<string, unknown>>,
): (response: ServerResponse) => void {
  return status(200, JSON.stringify({ success: true, ...answer }));
}

function status(code: number, body: string): (response: ServerResponse) => void {
  return (response) => {
    const length = Buffer.byteLength(body);
    response.writeHead(code, { 'content-type': 'application/json', 'content-length': length });
    response.end(body);
  };
}

function error(code: number, type: string): (response: ServerResponse) => void {
  return status(code, JSON.stringify({ success: false, error: { type, message: 'no' } }));
}

/** Sends only the header section and the first byte of the body. */
function stallAfter(code: number): (response: ServerResponse) => void {
  return (response) => response.writeHead(code, { 'content-length': '100' }).write('{');
}

function answerCase(
  decision: string,
  fields: Readonly<Record<string, unknown>>,
  enforced: Enforced,
) {
  return { decision, behave: respondWith({ decision, ...fields }), enforced };
}

function openCase(behave: Behaviour['behave']) {
  return { decision: 'none', behave, enforced: PASSES };
}

function closedCase(behave: Behaviour['behave']) {
  return { decision: 'none', behave, enforced: DENIED_ANSWER };
}

/** One behaviour for each row of the tables in contract 4.1 and 7.1, and one for each kind of missing answer. */
export const BEHAVIOURS: readonly Behaviour[] = [
  { name: 'allows', ...answerCase('allow', { status_code: 200, ...EXTRAS }, PASSES) },
  { name: 'matches no endpoint', ...answerCase('not_matched', {}, PASSES) },
  {
    name: 'allows in chunks',
    decision: 'allow',
    behave(response) {
      response.write('{"success":true,');
      setImmediate(() => response.end('"decision":"allow"}'));
    },
    enforced: PASSES,
  },
  {
    name: 'allows with a body of its own',
    ...answerCase(
      'allow',
      {
        response_html: Buffer.from(ROBOTS).toString('base64'),
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      },
      { kind: 'answered', status: 200, body: ROBOTS },
    ),
  },
  {
    name: 'blocks without a status',
    ...answerCase(
      'block',
      { response_html: BASE64_PAGE, headers: HTML },
      { kind: 'answered', status: 403, body: PAGE },
    ),
  },
  {
    name: 'blocks with 451',
    ...answerCase(
      'block',
      { status_code: 451, response_html: BASE64_PAGE, headers: HTML },
      { kind: 'answered', status: 451, body: PAGE },
    ),
  },
  {
    name: 'challenges',
    ...answerCase(
      'redirect',
      {
        ...EXTRAS,
        status_code: 403,
        response_html: BASE64_PAGE,
        headers: { ...EXTRAS.headers, ...HTML },
      },
      { kind: 'answered', status: 403, body: PAGE },
    ),
  },
  {
    name: 'limits',
    ...answerCase(
      'block',
      { status_code: 429, rate_limited: true, retry_after: 17, response_html: BASE64_PAGE },
      { kind: 'answered', status: 429, body: PAGE },
    ),
  },
  { name: 'challenges without a page', ...answerCase('redirect', {}, DENIED_ANSWER) },
  { name: 'rejects with 400', ...closedCase(error(400, 'invalid_ip')) },
  { name: 'rejects with 401', ...closedCase(error(401, 'invalid_api_key')) },
  { name: 'rejects with 409 and no body', ...closedCase(status(409, '')) },
  { name: 'rejects with 400 and stalls', ...closedCase(stallAfter(400)) },
  { name: 'fails with 500', ...openCase(error(500, 'internal_server_error')) },
  { name: 'fails with 503', ...openCase(error(503, 'validation_timeout')) },
  { name: 'answers 200 and success: false', ...openCase(error(200, 'unknown')) },
  {
    name: 'answers nonsense',
    ...openCase((response) => response.write('<ht') && response.end('ml>')),
  },
  { name: 'gives an unknown decision', ...openCase(respondWith({ decision: 'perhaps' })) },
  {
    name: 'redirects the question',
    ...openCase((response) => response.writeHead(307, { location: '/validate' }).end()),
  },
  { name: 'is silent', ...openCase(() => undefined) },
  { name: 'stalls in its answer', ...openCase(stallAfter(200)) },
  { name: 'cuts the connection', ...openCase((response) => response.destroy()) },
];

export interface FakeValidator {
  readonly url: string;
  /** The questions so far, with the keys that were sent. */
  readonly asked: readonly ReceivedQuestion[];
  /** The number of accepted connections so far. */
  connections(): number;
  close(): Promise<void>;
}

export interface ReceivedQuestion {
  readonly key: string | string[] | undefined;
  readonly question: Readonly<Record<string, unknown>>;
}

/** The path for which the fake validator behaves in this way. */
export function pathOf(behaviour: string): string {
  return `/as/${BEHAVIOURS.findIndex(({ name }) => name === behaviour)}`;
}

/** A fake `POST /validate` for other programs. The path in the question chooses its behaviour. */
export async function startFakeValidator(): Promise<FakeValidator> {
  let connections = 0;
  const receivedQuestions: ReceivedQuestion[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const question = JSON.parse(body) as ReceivedQuestion['question']; // every caller sends a JSON object
      receivedQuestions.push({ key: request.headers['x-api-key'], question });
      const index = Number(/\/as\/(\d+)/.exec(String(question['url']))?.[1]);
      (BEHAVIOURS[index]?.behave ?? respondWith({ decision: 'allow' }))(response);
    });
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The address of a server that listens on TCP is always an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/validate`,
    asked: receivedQuestions,
    connections: () => connections,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
