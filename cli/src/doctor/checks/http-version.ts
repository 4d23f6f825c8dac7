import type { Answers } from '../evidence.ts';
import { ok, type Outcome, warning } from '../finding.ts';
import { type Check, ofAnswers } from './check.ts';

export const httpVersion: Check = { name: 'http version', judge: ofAnswers(judge) };

function judge({ page, tls }: Answers): Outcome {
  if (tls.kind === 'spoken' && tls.alpn === 'h2') return ok('HTTP/2');
  if (page.httpVersion !== '1.0') return ok(`HTTP/${page.httpVersion}`);
  return warning(
    'HTTP/1.0',
    'Each request takes a connection of its own, and no WebSocket can be opened.',
    'Let the proxy speak HTTP/1.1 or HTTP/2.',
  );
}
