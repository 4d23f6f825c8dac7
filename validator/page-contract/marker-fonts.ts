/**
 * Fonts that identify an operating system: each comes with its system, and the browsers of the system can always draw
 * it. The names of the systems are those of src/request/browser-claim.ts.
 */
export const MARKER_FONTS = {
  windows: ['Segoe UI', 'Consolas'],
  macos: ['Helvetica Neue', 'Menlo'],
  linux: ['DejaVu Sans', 'Liberation Sans', 'Noto Sans'],
  android: ['Roboto'],
} as const;
