/** Limits of the upload. The page cuts its data to these limits, and the server checks them. */
export const LIMITS = {
  /** Longest User-Agent kept; in-app browsers send up to about 600 characters. */
  userAgentChars: 1024,
  /** Longest other text. */
  textChars: 256,
  listItems: 32,
  /** Maximum number of measurements of boxes in one reading. */
  measurements: 64,
  /** Maximum number of answers to questions that are learned. */
  questions: 8,
  /** Time limit of one source, in milliseconds. */
  sourceMs: 1500,
} as const;

/** The witnesses of one visit (src/challenge/witnesses/): how many of each kind a browser loads. */
export const WITNESSES = {
  images: 4,
  fonts: 2,
  /** Longest time that the page waits for witnesses, in milliseconds. */
  waitMs: 8_000,
} as const;

/** Side of the square in which boxes are laid out and measured, in CSS pixels. All other sizes are relative to it. */
export const LAYOUT_SIDE = 1000;
