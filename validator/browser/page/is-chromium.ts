/** True in every browser with the engine of Chromium. Some sources read only there. */
export function isChromium(): boolean {
  return (navigator as { readonly vendor?: string }).vendor === 'Google Inc.';
}
