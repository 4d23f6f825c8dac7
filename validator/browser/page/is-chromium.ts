/** True in a Chromium engine, whatever its name. It is used for questions that only Chromium answers. */
export function isChromium(): boolean {
  return (navigator as { readonly vendor?: string }).vendor === 'Google Inc.';
}
