/** How strongly an Accept header (RFC 9110 12.5.1) asks for a page. */
interface PageWish {
  /** Quality of HTML from 0 to 1. The most specific range that covers HTML sets it. 0 means "not acceptable". */
  readonly html: number;
  /** Whether the header names HTML. False when only the wildcard for all types covers HTML. */
  readonly named: boolean;
  /** The highest quality among all other ranges. */
  readonly other: number;
}

/** Ranges that cover HTML, the most specific first. */
const HTML_RANGES = ['text/html', 'application/xhtml+xml', 'text/*', '*/*'] as const;
/** Maximum number of ranges that Guard reads. Browsers send less than half as many. */
const MAX_RANGES = 32;

/** Reads how strongly a client asks for a page. Without the header, every type is acceptable. */
export function readPageWish(accept: string | undefined): PageWish {
  if (accept === undefined || accept.trim() === '') return { html: 1, named: false, other: 0 };
  const html = new Map<string, number>();
  let bestOther = 0;
  for (const range of accept.split(',', MAX_RANGES)) {
    const [type = '', ...parameters] = range.split(';');
    const name = type.trim().toLowerCase();
    if (name === '') continue;
    const quality = qualityOf(parameters);
    if (HTML_RANGES.some((htmlRange) => htmlRange === name)) html.set(name, quality);
    else bestOther = Math.max(bestOther, quality);
  }
  const covering = HTML_RANGES.find((range) => html.has(range));
  return {
    html: covering === undefined ? 0 : (html.get(covering) ?? 0),
    named: covering !== undefined && covering !== '*/*',
    other: bestOther,
  };
}

/** The quality of a range: 1 without `q`, and 0 (not acceptable) when `q` is malformed (RFC 9110 section 12.4.2). */
export function qualityOf(parameters: readonly string[]): number {
  const weight = parameters
    .map((parameter) => parameter.trim())
    .find((parameter) => /^q=/i.test(parameter));
  if (weight === undefined) return 1;
  const value = weight.slice(2);
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0;
}

/** Whether an Accept-Encoding header names the coding with a quality above 0 (RFC 9110 section 12.5.3). */
export function acceptsCoding(header: string | undefined, coding: string): boolean {
  return (header ?? '').split(',', MAX_RANGES).some((range) => {
    const [name = '', ...parameters] = range.split(';');
    return name.trim().toLowerCase() === coding && qualityOf(parameters) > 0;
  });
}
