/**
 * The origin of a Referer header's value, or an empty string. The rest of the Referer is left out, because it can
 * contain text that the visitor typed on another site.
 */
export function referrerOrigin(referrer: string | undefined): string {
  if (referrer === undefined || referrer === '') return '';
  const origin = /^https?:\/\/[^/?#\\@\s]{1,255}(?=[/?#]|$)/i.exec(referrer)?.[0];
  return origin?.toLowerCase() ?? '';
}
