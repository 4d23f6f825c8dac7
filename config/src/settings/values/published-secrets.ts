import { createHash } from 'node:crypto';

/**
 * Secrets that stand in the documentation and the tests of Guard, so they are public. They are good enough
 * where only the same machine can connect.
 */
const PUBLISHED: readonly string[] = [
  '5f0c2b7d9e41a86371d4c0be52f9a687',
  'flow-tests-4b3a2c1d0e9f8a7b6c5d4e3f2a1b0c9d',
  'sk_flow_1f6e2c9a7b5d4e3f8a6b',
  'sk_api_ro_flow_9d8c7b6a5f4e3d2c1b0a',
  'health_flow_7c6b5a4d3e2f1a0b9c8d',
];

const DIGESTS: ReadonlySet<string> = new Set(PUBLISHED.map(digest));

/** Whether a key, in plain text or as `sha256:<hex>`, is one of the published ones. */
export function isPublished(key: string): boolean {
  const hex = /^sha256:([0-9a-f]{64})$/i.exec(key)?.[1];
  return DIGESTS.has(hex?.toLowerCase() ?? digest(key));
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
