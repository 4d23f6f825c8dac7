import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

/** The required libraries of the product. The product uses each library at run time, and not only in tests. */
const LIBRARIES = [
  'http-proxy-3',
  'undici',
  'fastify',
  'zod',
  'lru-cache',
  'ua-parser-js',
  'ipaddr.js',
  '@clickhouse/client',
  '@modelcontextprotocol/sdk',
];

const root = join(import.meta.dirname, '..');
const Manifest = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

/** Files of a package that are part of the product. */
const IS_TEST = /\.test\.ts$|\/test(?:ing|-kit)\/|\/test-[^/]*$/;
/** Finds imports at run time. Imports of types are left out. */
const RUNTIME_IMPORT = /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm;

const imports = globSync(
  '{config,gateway,validator,analytics,mcp,dashboard,replay,server,cli}/src/**/*.ts',
  {
    cwd: root,
  },
)
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !IS_TEST.test(file))
  .flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(RUNTIME_IMPORT)].map(
      ([, specifier = '']) => ({ workspace: file.split('/')[0] ?? '', specifier }),
    ),
  );

function dependsOn(workspace: string, library: string): boolean {
  const manifest = readFileSync(join(root, workspace, 'package.json'), 'utf8');
  return library in Manifest.parse(JSON.parse(manifest)).dependencies;
}

describe('product code imports each library, and the package lists it in its dependencies', () => {
  test.each(LIBRARIES)('%s', (library) => {
    const users = imports.filter(
      ({ specifier }) => specifier === library || specifier.startsWith(`${library}/`),
    );
    expect(users.length).toBeGreaterThan(0);
    const undeclared = users.filter(({ workspace }) => !dependsOn(workspace, library));
    expect(undeclared).toEqual([]);
  });
});
