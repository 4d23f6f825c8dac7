/** A page for a visitor whose request no origin answered. */
interface FailurePage {
  /** The page in UTF-8. */
  readonly html: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  /** The code on the page. The event of the request gets it too. */
  readonly reference: string;
}

/**
 * The port by which the gateway gets these pages from the validator. Each organisation has its own function. Header
 * names are in lower case. Returns undefined for a client that gets no pages. Never throws.
 */
export type RenderFailurePage = (failure: {
  readonly status: 502 | 503 | 504;
  readonly headers: Readonly<Record<string, string>>;
  /** The seconds in the Retry-After field of the answer. */
  readonly retryAfterS: number | undefined;
}) => FailurePage | undefined;
