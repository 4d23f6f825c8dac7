import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isLoopbackHost } from '../../net/special-address.ts';
import type { SettingPath } from '../problems/problems.ts';
import { Listen } from '../values/values.ts';
import type { Contradiction } from './repeated.ts';

/** Refuses secrets that are easy to guess, and secrets from the documentation, when other machines can connect. */

/** Fewest characters of a `secret` that other machines can attack: 16 random bytes in Base64. */
const LEAST_EXPOSED_SECRET = 24;
/** Fewest characters of a key, not counting `sk_` and `sk_api_ro_`, which are public. */
const LEAST_EXPOSED_KEY = 16;

const unknownValue = z.unknown().optional();
const keys = z.array(z.looseObject({ key: unknownValue }).catch({ key: undefined })).catch([]);
const Outline = z
  .looseObject({
    listen: z.record(z.string(), z.unknown()).catch({}),
    secret: unknownValue,
    health_check_token: unknownValue,
    organisations: z
      .array(
        z
          .looseObject({ secret_keys: keys, analytics_keys: keys })
          .catch({ secret_keys: [], analytics_keys: [] }),
      )
      .catch([]),
  })
  .catch({ listen: {}, secret: undefined, health_check_token: undefined, organisations: [] });

interface Secret {
  readonly path: SettingPath;
  readonly text: unknown;
  readonly minLength: number;
}

export function findExposedSecrets(value: unknown): Contradiction[] {
  const { listen, organisations, ...topLevel } = Outline.parse(value);
  const exposedListener = Object.entries(listen).find(([, address]) => isReachedByOthers(address));
  if (exposedListener === undefined) return [];
  const [service] = exposedListener;

  const sealingSecrets = Array.isArray(topLevel.secret)
    ? topLevel.secret.map((text: unknown, index) => ({ path: ['secret', index], text }))
    : [{ path: ['secret'], text: topLevel.secret }];
  const keySecrets = organisations.flatMap((organisation, index) =>
    (['secret_keys', 'analytics_keys'] as const).flatMap((list) =>
      organisation[list].map(({ key }, keyIndex) => ({
        path: ['organisations', index, list, keyIndex, 'key'],
        text: key,
      })),
    ),
  );
  const token = { path: ['health_check_token'], text: topLevel.health_check_token };
  const secrets: Secret[] = [
    ...sealingSecrets.map((secret) => ({ ...secret, minLength: LEAST_EXPOSED_SECRET })),
    ...[token, ...keySecrets].map((secret) => ({ ...secret, minLength: LEAST_EXPOSED_KEY })),
  ];
  return secrets.flatMap((secret) => {
    const expected = remedyFor(secret);
    if (expected === undefined) return [];
    const message = `${expected}, since others reach listen.${service}; make one with \`openssl rand -hex 32\``;
    return [{ path: secret.path, message }];
  });
}

function isReachedByOthers(address: unknown): boolean {
  const listen = Listen.safeParse(address);
  return listen.success && listen.data.kind === 'tcp' && !isLoopbackHost(listen.data.host);
}

/** What to do about a weak secret. Undefined for a strong secret, and for a form that another check refuses. */
function remedyFor({ text, minLength }: Secret): string | undefined {
  if (typeof text !== 'string' || text === '') return undefined;
  if (isPublished(text)) return 'expected a secret of your own, this one is in the documentation';
  const randomPart = text.replace(/^sk_(?:api_ro_)?/, '');
  return randomPart.length < minLength
    ? `expected at least ${minLength} characters drawn at random`
    : undefined;
}

/** Secrets of the documentation and the tests of Guard, which are public. */
const PUBLISHED_SECRETS: readonly string[] = [
  '5f0c2b7d9e41a86371d4c0be52f9a687',
  'flow-tests-4b3a2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
  'sk_flow_1f6e2c9a7b5d4e3f8a6b',
  'sk_api_ro_flow_9d8c7b6a5f4e3d2c1b0a',
  'health_flow_7c6b5a4d3e2f1a0b9c8d',
];

const PUBLISHED_DIGESTS: ReadonlySet<string> = new Set(PUBLISHED_SECRETS.map(digest));

/** Whether a key is in the documentation or the tests of Guard. Accepts a key in plain text or as `sha256:<hex>`. */
export function isPublished(key: string): boolean {
  const hex = /^sha256:([0-9a-f]{64})$/i.exec(key)?.[1];
  return PUBLISHED_DIGESTS.has(hex?.toLowerCase() ?? digest(key));
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
