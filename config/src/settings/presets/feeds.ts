import type { Match } from '../sections/rule.ts';
import { BEHIND_A_SCRIPT } from './behind-a-script.ts';
import { CAUGHT_LYING } from './caught-lying.ts';

/**
 * RSS, Atom and JSON Feed under the names that blogs, forges and shops give them. Any program may read
 * one, so no User-Agent is asked for.
 */
export const feeds: Match = {
  method: ['GET', 'HEAD'],
  path: [
    '/**/*.rss',
    '/**/*.atom',
    '/**/*.rdf',
    '/**/feed',
    '/**/feed/',
    '/**/feed/atom',
    '/**/feed/atom/',
    '/**/feed/rss2',
    '/**/feed/rss2/',
    '/**/rss',
    '/**/rss/',
    '/**/atom',
    '/**/atom/',
    '/**/feed.xml',
    '/**/rss.xml',
    '/**/atom.xml',
    '/**/index.xml',
    '/**/feed.json',
  ],
  not: { any: [CAUGHT_LYING, BEHIND_A_SCRIPT] },
};
