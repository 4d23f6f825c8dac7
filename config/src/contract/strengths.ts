/** The strengths of findings. guard.yaml can change them for an organisation. The defaults are in contract/reasons/. */
export const STRENGTHS = ['off', 'note', 'weak', 'strong', 'conclusive'] as const;
export type Strength = (typeof STRENGTHS)[number];

/** The points of one finding of each strength. Points of different groups are added. */
export const POINTS: Readonly<Record<Strength, number>> = {
  off: 0,
  note: 0,
  weak: 1,
  strong: 2,
  conclusive: 6,
};

/**
 * A visitor with at least `ask` points gets a challenge. One strong finding or two weak findings give these points. A
 * visitor with at least `reject` points is rejected. One conclusive finding or three strong findings give these points.
 * Weak findings are never counted towards `reject`, because several oddities of one unusual browser are not evidence.
 */
export const THRESHOLDS = { ask: 2, reject: 6 } as const;

/**
 * The groups of findings. The findings of one group can have one cause, which the text of the group names. So only the
 * strongest finding of each group is counted.
 */
export const GROUPS = {
  name: 'The visitor says by its own name that it is a program.',
  headers: 'The headers were written, cut or changed on their way.',
  other_client: 'The browser is another one than its User-Agent names.',
  network: 'The network that the visitor is in.',
  driver: 'An automation driver controls the browser.',
  debugger: 'Something listens to the console.',
  window: 'The browser has no window on a real monitor.',
  layout: 'There is no layout engine, or something changes its measurements.',
  system: 'The system is another one than the claimed one.',
  build: 'The browser was built without parts that the claimed one has.',
  answers: 'The answers differ from those of other visitors with the claimed browser.',
  language: 'The header and the page name different languages.',
  challenge: 'The results of earlier challenges.',
} as const;
export type Group = keyof typeof GROUPS;
