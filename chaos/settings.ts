import { CLOSED } from './crowd.ts';

/** Judges all visitors, and lets browsers pass. */
export const DETECT_RULES: readonly unknown[] = [
  { name: 'closed', match: { path: `${CLOSED}**` }, verdict: 'block' },
  { name: 'everybody', match: {}, detect: true },
];

/** Requests that one address may send below /few/ in a minute. Programs get no challenge there. */
export const FEW_PER_MINUTE = 5;

/** Challenges every visitor once. */
export const CHALLENGE_ALL_RULES: readonly unknown[] = [
  { name: 'closed', match: { path: `${CLOSED}**` }, verdict: 'block' },
  {
    name: 'few',
    match: { path: '/few/**' },
    rate_limit: { requests: FEW_PER_MINUTE, per: '1m', by: ['ip'] },
    verdict: 'allow',
  },
  { name: 'everybody', match: {}, detect: true, challenge: 'always' },
];

/** Adds a database. By default a site has none. */
export const WITH_DATABASE = { analytics: { engine: 'embedded', path: './analytics' } } as const;
