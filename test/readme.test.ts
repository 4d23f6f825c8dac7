import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSettings } from '@guard/config/settings/load';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');

const Names = z.record(z.string(), z.string()).optional();
const Manifest = z.object({ dependencies: Names, optionalDependencies: Names });

test('the settings file of the README is valid, and has thirteen lines', () => {
  const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
  const env = {
    GUARD_SECRET: 'b6X0c1v8Yq3rT5wZ2nM9kL4jH7gF0dSa',
    ANALYTICS_KEY: 'sk_api_ro_p8dK2mQ7xW4vT9sL',
  };
  const result = parseSettings(yaml, { file: 'README.md', baseDir: root, env });
  expect(result.kind === 'invalid' ? result.problems : []).toEqual([]);
  expect(yaml.trimEnd().split('\n')).toHaveLength(13);
});

describe('the links and paths of the documents exist', () => {
  const documents = [
    ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
    ...globSync('docs/**/*.md', { cwd: root }),
  ];

  test.each(documents)('%s', (name) => {
    const text = read(name);
    // A path that begins with a slash is a URL path, and no file.
    const links = [...text.matchAll(/\]\(([^)#:/][^)#:]*)(?:#[^)]*)?\)/g)].map(([, path = '']) =>
      join(dirname(name), path),
    );
    const files = [...text.matchAll(/`((?:[a-z0-9-]+\/)+(?:[a-z0-9.-]+\.(?:ts|md|json|mjs))?)`/g)]
      .map(([, path = '']) => path)
      .filter((path) =>
        /^(config|gateway|validator|analytics|mcp|replay|server|cli|test|bench|scripts)\//.test(
          path,
        ),
      );
    const missing = [...links, ...files].filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  test('ARCHITECTURE.md has each library of an installation, with its record in docs/decisions', () => {
    const [, table = ''] =
      /## Dependencies\n([^]*?)\nFor development/.exec(read('ARCHITECTURE.md')) ?? [];
    const libraries = globSync(
      '{config,gateway,validator,analytics,mcp,replay,server,cli,examples/shop}/package.json',
      {
        cwd: root,
      },
    ).flatMap((name) => {
      const { dependencies = {}, optionalDependencies = {} } = Manifest.parse(
        JSON.parse(read(name)),
      );
      return Object.keys({ ...dependencies, ...optionalDependencies });
    });
    const named = (library: string) =>
      table.split('\n').some((row) => (row.split('|')[1] ?? '').split(/[ ,]+/).includes(library));
    expect(libraries.filter((one) => !one.startsWith('@guard/') && !named(one))).toEqual([]);
    expect(libraries.length).toBeGreaterThan(15);
  });

  test('the scan finds references', () => {
    expect(read('CONTRIBUTING.md')).toMatch(/`validator\/src\/signals\/list\.ts`/);
  });
});
