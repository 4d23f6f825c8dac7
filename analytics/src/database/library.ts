import { createRequire } from 'node:module';

type EngineLibrary =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly message: string };

/** These are the versions in analytics/package.json. */
const INSTALL_HINT =
  'Nothing is recorded: visitors are served, and the dashboard, SQL and assistants have no data. ' +
  'Add it with `npm i -g chdb@3.4.0 ffi-rs@1.3.7` (546 MB; a checkout has it from `npm ci`), ' +
  'or set analytics.engine to clickhouse in guard.yaml.';

/**
 * Finds the engine's library without loading it. The library has 540 MB and can crash, so only another process loads
 * it.
 */
export async function findEngineLibrary(): Promise<EngineLibrary> {
  try {
    const { libchdbPath } = await import('chdb/libchdb');
    createRequire(import.meta.url).resolve('ffi-rs');
    return { kind: 'found', path: libchdbPath() };
  } catch {
    return {
      kind: 'missing',
      message: `The embedded database is not installed for ${process.platform}-${process.arch}. ${INSTALL_HINT}`,
    };
  }
}
