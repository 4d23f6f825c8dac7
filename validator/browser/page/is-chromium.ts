/** True in a Chromium engine, whatever it calls itself: the questions that only it can answer. */
export function isChromium(): boolean {
  return (navigator as { readonly vendor?: string }).vendor === 'Google Inc.';
}
