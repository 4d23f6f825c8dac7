import type { Answers, Evidence } from '../evidence.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../outcome.ts';
import { denialOf, isChallengePage, uploadUrl } from '../guard-page.ts';
import { type Check, judgeAnswers } from './check.ts';

/** Whether the uploads of browsers reach Guard (contract 3: no visitor is verified without an upload). */
export const uploadPath: Check = { name: 'upload path', judge: judgeAnswers(judgeUploadPath) };

function judgeUploadPath({ page, uploadByGet, uploadByPost }: Answers): Outcome {
  const uploadPathname = new URL(uploadUrl(page)).pathname;
  if (isCollectorAnswer(uploadByGet, 405)) {
    // Only Guard refuses an upload without a content type in this form.
    if (isCollectorAnswer(uploadByPost, 415))
      return ok(`${uploadPathname} leads to Guard, by GET and POST`);
    return uploadsLost(
      `POST ${uploadPathname} does not come to Guard: ${describeAnswer(uploadByPost)}`,
    );
  }
  if (!isChallengePage(page) && isCollectorAnswer(uploadByGet, 404)) {
    return unchecked(`${uploadPathname} is not served here, as intended with a remote validator`);
  }
  return uploadsLost(`${uploadPathname} does not lead to Guard: ${describeAnswer(uploadByGet)}`);
}

function uploadsLost(found: string): Outcome {
  return problem(
    found,
    'The challenge page cannot upload what it read, so no visitor passes.',
    'Send every path below /.guard/ to Guard, with every method, in front of other rules of the proxy.',
  );
}

/**
 * Whether an answer with this status comes from the collector. The answers of the collector are empty. The answers of
 * proxies contain a page.
 */
function isCollectorAnswer(answer: Exchange, status: 404 | 405 | 415): boolean {
  return answer.kind === 'answered' && answer.status === status && answer.body === '';
}

function describeAnswer(answer: Exchange): string {
  return answer.kind === 'answered' ? `answered ${answer.status}` : answer.why;
}

const WHY_WEBSOCKET =
  'WebSockets of the site cannot be opened. Pages that need them use a fallback or fail.';
const ADVICE_WEBSOCKET =
  'Let the proxy use HTTP/1.1 to Guard, and pass on Upgrade and Connection. In nginx: proxy_http_version 1.1, and proxy_set_header for both.';

/** Whether a WebSocket handshake (RFC 6455 section 4.1) passes the servers in front of Guard. */
export const webSocket: Check = { name: 'websocket', judge: judgeAnswers(judgeWebSocket) };

function judgeWebSocket(
  { handshake }: Answers,
  { seen, expectsWebSocket, settings }: Evidence,
): Outcome {
  const fault = expectsWebSocket ? problem : warning;
  if (handshake.kind === 'failed') {
    return fault(`a handshake gets no answer: ${handshake.why}`, WHY_WEBSOCKET, ADVICE_WEBSOCKET);
  }
  const { status } = handshake;
  if (status === 101) return ok('a handshake is answered with 101');
  const isAsked = isAskedByProxy(settings);
  if (isAsked && !expectsWebSocket) {
    return unchecked(
      'your proxy asks Guard about requests, and keeps the connection to the site itself',
      'Name a WebSocket of the site with --websocket PATH.',
    );
  }
  const recordedRequest =
    seen.kind === 'seen'
      ? seen.requests.find((request) => request.websocket_key !== '')
      : undefined;
  if (!isAsked && recordedRequest?.upgrade === '') {
    const found = 'a handshake loses its Upgrade header before it comes to Guard';
    return fault(found, WHY_WEBSOCKET, ADVICE_WEBSOCKET);
  }
  const isDenied = isChallengePage(handshake) || denialOf(handshake) !== undefined;
  if (recordedRequest !== undefined && isDenied) {
    return ok(`a handshake reaches Guard, which answers ${status} to this machine`);
  }
  if (isDenied) {
    return unchecked(
      `Guard answers the handshake with ${status}, so it does not reach the site`,
      'Give an analytics key, or name with --websocket a path that is not protected.',
    );
  }
  return expectsWebSocket
    ? problem(
        `a handshake is answered with ${status} instead of 101`,
        WHY_WEBSOCKET,
        ADVICE_WEBSOCKET,
      )
    : unchecked(`there is no WebSocket here (status ${status})`, 'Name one with --websocket PATH.');
}

/** Whether a proxy only asks this Guard. Then its events do not tell whether handshakes reach the site. */
function isAskedByProxy(settings: Evidence['settings']): boolean {
  if (settings === undefined) return false;
  const { forward_auth, ext_authz, gateway, gateway_tls } = settings.listen;
  const isAsked = forward_auth !== undefined || ext_authz !== undefined;
  return isAsked && gateway === undefined && gateway_tls === undefined;
}
