import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { envoyProblems } from '../kit/peers/envoy-config.ts';

describe('the files of examples/forward-auth/', () => {
  const EXAMPLES = join(import.meta.dirname, '../../examples/forward-auth');
  const page = readFileSync(join(import.meta.dirname, '../../docs/guide/forward-auth.md'), 'utf8');
  const files = readdirSync(EXAMPLES)
    .filter((file) => file !== 'README.md')
    .map((file) => [file, readFileSync(join(EXAMPLES, file), 'utf8')] as const);

  test.each(files)('the documentation shows %s unchanged', (_file, text) => {
    expect(page).toContain(`\n${text}\`\`\`\n`);
  });

  test.each(['traefik', 'envoy'])(
    '%s.yaml is YAML, and sends questions to the URL at which Guard answers',
    (name) => {
      const [, text = ''] = files.find(([file]) => file === `${name}.yaml`) ?? [];
      parse(text);
      expect(text).toContain(`/check/${name}\n`);
    },
  );

  test.each(files.filter(([file]) => file.startsWith('envoy')))(
    '%s has the fields of Envoy’s own definitions',
    (_file, text) => {
      const config: unknown = parse(text);
      expect(envoyProblems(config)).toEqual([]);
      const misspelt: unknown = parse(text.replace('failure_mode_allow', 'failure_mode_alow'));
      expect(envoyProblems(misspelt).join()).toMatch(/\.failure_mode_alow: unknown$/);
    },
  );
});
