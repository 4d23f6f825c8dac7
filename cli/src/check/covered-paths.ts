import { compilePattern } from '@guard/config/matching/glob';
import { readingsOf } from '@guard/config/matching/path-readings';
import type { Organisation, Settings, Site } from '@guard/config/settings/schema';
import { compileRoute } from '@guard/gateway';
import { hint, type Remark } from './remark.ts';

const HEALTH_PATHS = ['/health', '/healthz'];
/**
 * Paths for programs that cannot pass a challenge: the path for certificates (RFC 8555 section 8.3), and health checks.
 */
const PROGRAM_PATHS = ['/.well-known/acme-challenge/token', ...HEALTH_PATHS];

export function remarksOnProtectedPaths(
  site: Site,
  index: number,
  { organisations, tls }: Pick<Settings, 'organisations' | 'tls'>,
): Remark[] {
  const isProtected = compileRoute(site.protect, site.skip);
  const organisation = organisations.find(({ id }) => id === site.organisation);
  // With tls.acme, Guard itself answers the authority.
  const paths = tls?.acme === undefined ? PROGRAM_PATHS : HEALTH_PATHS;
  const protectedProgramPaths = paths.filter(
    (path) => isProtected(readingsOf(path)) && !(organisation && isLetThrough(path, organisation)),
  );
  if (protectedProgramPaths.length === 0) return [];
  const pathList = protectedProgramPaths.map((path) => path.replace(/token$/, '')).join(', ');
  const isAcme = protectedProgramPaths.some((path) => path.startsWith('/.well-known/'));
  const presetAdvice = isAcme ? ', or use presets: [well-known] for certificates' : '';
  const message = `protects ${pathList}: programs that request these paths can be stopped; add the paths that your site uses to skip${presetAdvice}`;
  return [hint(['sites', index, 'protect'], message)];
}

/** Whether the preset `well-known` or a rule allows the path. Its other conditions are ignored. */
function isLetThrough(path: string, { presets, rules }: Organisation): boolean {
  if (path.startsWith('/.well-known/') && presets.includes('well-known')) return true;
  return rules.some(
    ({ verdict, match }) =>
      verdict === 'allow' && (match.path ?? []).some((pattern) => compilePattern(pattern)(path)),
  );
}
