import type { Answers, Evidence } from '../evidence.ts';
import { ok, type Outcome, problem, unchecked, warning } from '../finding.ts';
import { denialOf, isChallengePage } from '../guard-page.ts';
import { type Check, ofAnswers } from './check.ts';

const WHY = 'WebSockets of the site cannot be opened; what uses them falls back or fails.';
const ADVICE =
  'Let the proxy speak HTTP/1.1 to Guard and pass Upgrade and Connection on; in nginx: proxy_http_version 1.1, and proxy_set_header for both.';

/** Whether a handshake (RFC 6455 4.1) comes through what stands in front. */
export const webSocket: Check = { name: 'websocket', judge: ofAnswers(judge) };

function judge({ handshake }: Answers, { seen, expectsWebSocket }: Evidence): Outcome {
  if (handshake.kind === 'failed') {
    const found = `a handshake gets no answer: ${handshake.why}`;
    return expectsWebSocket ? problem(found, WHY, ADVICE) : warning(found, WHY, ADVICE);
  }
  const { status } = handshake;
  if (status === 101) return ok('a handshake is answered with 101');
  const recorded =
    seen.kind === 'seen' ? seen.requests.find((one) => one.websocket_key !== '') : undefined;
  if (recorded !== undefined && recorded.upgrade === '') {
    const found = 'a handshake loses its Upgrade header before it comes to Guard';
    return expectsWebSocket ? problem(found, WHY, ADVICE) : warning(found, WHY, ADVICE);
  }
  const isDenied = isChallengePage(handshake) || denialOf(handshake) !== undefined;
  if (recorded !== undefined && isDenied) {
    return ok(`a handshake comes to Guard as one, which answers ${status} to this machine`);
  }
  if (isDenied) {
    return unchecked(
      `Guard answers the handshake with ${status}, before it comes to the site`,
      'Give an analytics key, or name with --websocket a path that is not protected.',
    );
  }
  return expectsWebSocket
    ? problem(`a handshake is answered with ${status} instead of 101`, WHY, ADVICE)
    : unchecked(`there is no WebSocket here (status ${status})`, 'Name one with --websocket PATH.');
}
