/**
 * Scheme and host of a Referer header's value, or an empty string. The rest may contain what a visitor typed into
 * another site, so events do not keep it.
 */
export function referrerOrigin(referrer: string | undefined): string {
  if (referrer === undefined || referrer === '') return '';
  const origin = /^https?:\/\/[^/?#\\@\s]{1,255}(?=[/?#]|$)/i.exec(referrer)?.[0];
  return origin?.toLowerCase() ?? '';
}
