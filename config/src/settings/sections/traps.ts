import { z } from 'zod';
import { compilePattern, type Pattern as PathPattern } from '../../matching/glob.ts';
import { compileRegex } from '../../matching/regex.ts';
import { TRAP_PRESETS } from './trap-paths.ts';
import { Pattern } from './rule.ts';

function matchesStartPage(pattern: PathPattern): boolean {
  // An expression that does not compile is already reported by the schema of patterns.
  const isValid = typeof pattern === 'string' || compileRegex(pattern.regex).kind === 'compiled';
  return isValid && compilePattern(pattern)('/');
}

const TrapPath = Pattern.refine(
  (pattern) => typeof pattern !== 'string' || pattern.startsWith('/'),
  'expected a path that begins with /',
).refine(
  (pattern) => !matchesStartPage(pattern),
  'expected paths that no visitor needs; this pattern also matches the start page /',
);

/**
 * Paths that only programs request. A visitor who requests such a path is challenged (validator/src/verdict/traps.ts).
 */
export const Traps = z.strictObject({
  /**
   * Whether Guard puts a link into an HTML comment of its own pages. Browsers do not show the link, and do not follow
   * it.
   */
  link: z.boolean().default(true),
  presets: z.array(z.enum(TRAP_PRESETS)).default(['secret-files']),
  paths: z.array(TrapPath).max(100).default([]),
});
export type Traps = Readonly<z.infer<typeof Traps>>;
