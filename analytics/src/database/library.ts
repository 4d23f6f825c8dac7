import { createRequire } from 'node:module';

type EngineLibrary =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing'; readonly message: string };

const INSTALL =
  'Install the optional packages with `npm install --include=optional chdb ffi-rs`, or set analytics.engine to clickhouse in guard.yaml.';

/**
 * Where the engine's library is. It is only looked for here: 540 MB that can crash belong into
 * another process.
 */
export async function findEngineLibrary(): Promise<EngineLibrary> {
  try {
    const { libchdbPath } = await import('chdb/libchdb');
    createRequire(import.meta.url).resolve('ffi-rs');
    return { kind: 'found', path: libchdbPath() };
  } catch {
    return {
      kind: 'missing',
      message: `The embedded analytics engine is not installed for ${process.platform}-${process.arch}. ${INSTALL}`,
    };
  }
}
