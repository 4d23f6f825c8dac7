import { isHttp10, type VisitorRequest, type VisitorResponse } from './message.ts';

/**
 * RFC 9110 section 10.1.1: the visitor sends the body only when the origin wants it. The gateway does not
 * forward any other expectation.
 */
export function asksForContinue(req: VisitorRequest, hasBody: boolean): boolean {
  const { expect } = req.headers;
  if (expect === undefined || !hasBody || isHttp10(req)) return false;
  return expect.toLowerCase() === '100-continue';
}

/** The same section: sends 100 (Continue) to a visitor who waits for it. */
export function inviteBody(req: VisitorRequest, res: VisitorResponse): void {
  if (req.headers.expect !== undefined && !isHttp10(req)) res.writeInterim(100, []);
}
