import type { Visit } from '../tool.ts';

/** Ways in which the rebrowser patches get at a page without `Runtime.enable`. */
export const RUNTIME_FIXES = ['addBinding', 'alwaysIsolated', 'enableDisable'] as const;
export type RuntimeFix = (typeof RUNTIME_FIXES)[number];

const NAME = 'REBROWSER_PATCHES_RUNTIME_FIX_MODE';

/** The patches read their mode from the environment, at each use. */
export function withRuntimeFix(mode: RuntimeFix, visit: Visit): Visit {
  return async (url, place) => {
    const before = process.env[NAME];
    process.env[NAME] = mode;
    try {
      return await visit(url, place);
    } finally {
      if (before === undefined) Reflect.deleteProperty(process.env, NAME);
      else process.env[NAME] = before;
    }
  };
}
