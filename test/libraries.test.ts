import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

/** The libraries that the product is to be built with. Each is of use at run time, and not in tests only. */
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
/** What a file imports as it runs: an import of types alone is no use. */
const RUNTIME_IMPORT = /^(?:import|export) (?!type )[^;]*?from '([^']+)'/gm;

const imports = globSync('{config,gateway,validator,analytics,mcp,replay,server,cli}/src/**/*.ts', {
  cwd: root,
})
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

describe('product code imports each library, and its package declares it for the run time', () => {
  test.each(LIBRARIES)('%s', (library) => {
    const users = imports.filter(
      ({ specifier }) => specifier === library || specifier.startsWith(`${library}/`),
    );
    expect(users.length).toBeGreaterThan(0);
    const undeclared = users.filter(({ workspace }) => !dependsOn(workspace, library));
    expect(undeclared).toEqual([]);
  });
});
