import { CLOSED } from './crowd.ts';

/** Judges all visitors, and lets browsers pass. */
export const DETECT: readonly unknown[] = [
  { name: 'closed', match: { path: `${CLOSED}**` }, verdict: 'block' },
  { name: 'everybody', match: {}, detect: true },
];

/** Requests that one address may send below /few/ in a minute. Scripts may go there. */
export const FEW = 5;

/** Challenges every visitor once. */
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

/** Adds a database. By default a site has none. */
export const WITH_DATABASE = { analytics: { engine: 'embedded', path: './analytics' } } as const;
