import type { RenderedPage } from '../interstitial.ts';

/** A page as text. */
export function asText({ html, headers }: RenderedPage) {
  return { html: html.toString(), headers };
}
