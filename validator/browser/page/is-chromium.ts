/** True in a Chromium engine with any name. Used for questions that only Chromium answers. */
export function isChromium(): boolean {
  return (navigator as { readonly vendor?: string }).vendor === 'Google Inc.';
}
