/**
 * Fonts by which a system can be known: it brings them along, and browsers there can always draw
 * them. The systems are named as in src/request/browser-claim.ts.
 */
export const MARKER_FONTS = {
  windows: ['Segoe UI', 'Consolas'],
  macos: ['Helvetica Neue', 'Menlo'],
  linux: ['DejaVu Sans', 'Liberation Sans', 'Noto Sans'],
  android: ['Roboto'],
} as const;
