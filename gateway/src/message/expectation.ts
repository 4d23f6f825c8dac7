import { isHttp10, type VisitorRequest, type VisitorResponse } from './message.ts';

/**
 * RFC 9110 section 10.1.1: the visitor waits with the body until it is wanted, which the origin is to
 * say. Any other expectation ends here.
 */
export function asksForContinue(req: VisitorRequest, hasBody: boolean): boolean {
  const { expect } = req.headers;
  if (expect === undefined || !hasBody || isHttp10(req)) return false;
  return expect.toLowerCase() === '100-continue';
}

/** The same section: tells a visitor who asked first that the upload is wanted. */
export function inviteBody(req: VisitorRequest, res: VisitorResponse): void {
  if (req.headers.expect !== undefined && !isHttp10(req)) res.writeInterim(100, []);
}
