import { CLOSED } from './crowd.ts';

/** Looks at everybody, and lets browsers in. */
export const DETECT: readonly unknown[] = [
  { name: 'closed', match: { path: `${CLOSED}**` }, verdict: 'block' },
  { name: 'everybody', match: {}, detect: true },
];

/** Requests of one address below /few/, which scripts may visit, in a minute. */
export const FEW = 5;

/** Challenges everybody once. */
export const CHALLENGE_ALL: readonly unknown[] = [
  { name: 'closed', match: { path: `${CLOSED}**` }, verdict: 'block' },
  {
    name: 'few',
    match: { path: '/few/**' },
    rate_limit: { requests: FEW, per: '1m', by: ['ip'] },
    verdict: 'allow',
  },
  { name: 'everybody', match: {}, detect: true, challenge: 'always' },
];

/** A database of its own; a site has none by default. */
export const WITH_DATABASE = { analytics: { engine: 'embedded', path: './analytics' } } as const;
