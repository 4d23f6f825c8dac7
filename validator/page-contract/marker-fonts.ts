/**
 * Fonts that identify a system, because it comes with them, and its browsers can always draw them. The systems have the
 * names of src/request/browser-claim.ts.
 */
export const MARKER_FONTS = {
  windows: ['Segoe UI', 'Consolas'],
  macos: ['Helvetica Neue', 'Menlo'],
  linux: ['DejaVu Sans', 'Liberation Sans', 'Noto Sans'],
  android: ['Roboto'],
} as const;
