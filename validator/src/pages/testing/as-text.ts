import type { RenderedPage } from '../interstitial.ts';

export function asText({ html, headers }: RenderedPage) {
  return { html: html.toString(), headers };
}
