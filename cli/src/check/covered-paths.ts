import { compilePattern } from '@guard/config/matching/glob';
import { readingsOf } from '@guard/config/matching/path-readings';
import type { Organisation, Settings, Site } from '@guard/config/settings/schema';
import { compileRoute } from '@guard/gateway';
import { hint, type Remark } from './remark.ts';

/**
 * Paths for programs that cannot pass a challenge: the path for certificates (RFC 8555 section 8.3), and health checks.
 */
const HEALTH_PATHS = ['/health', '/healthz'];
const PROGRAMS_PATHS = ['/.well-known/acme-challenge/token', ...HEALTH_PATHS];

export function coveredPaths(
  site: Site,
  index: number,
  { organisations, tls }: Pick<Settings, 'organisations' | 'tls'>,
): Remark[] {
  const isProtected = compileRoute(site.protect, site.skip);
  const organisation = organisations.find(({ id }) => id === site.organisation);
  // With tls.acme, Guard itself answers the authority.
  const paths = tls?.acme === undefined ? PROGRAMS_PATHS : HEALTH_PATHS;
  const coveredProgramPaths = paths.filter(
    (path) => isProtected(readingsOf(path)) && !(organisation && isLetThrough(path, organisation)),
  );
  if (coveredProgramPaths.length === 0) return [];
  const names = coveredProgramPaths.map((path) => path.replace(/token$/, '')).join(', ');
  const isAcme = coveredProgramPaths.some((path) => path.startsWith('/.well-known/'));
  const preset = isAcme ? ', or use presets: [well-known] for certificates' : '';
  const message = `protects ${names}: programs that request these paths can be stopped; put those that your site has into skip${preset}`;
  return [hint(['sites', index, 'protect'], message)];
}

/** Whether a rule names the path and allows it. Its other conditions are ignored. */
function isLetThrough(path: string, { presets, rules }: Organisation): boolean {
  if (path.startsWith('/.well-known/') && presets.includes('well-known')) return true;
  return rules.some(
    ({ verdict, match }) =>
      verdict === 'allow' && (match.path ?? []).some((pattern) => compilePattern(pattern)(path)),
  );
}
