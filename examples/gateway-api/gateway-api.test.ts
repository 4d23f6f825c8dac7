import { HTTPExternalAuthFilter } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPExternalAuthFilter';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type Manifest,
  manifestProblems,
  readManifests,
} from '../../test/kit/examples/example-manifests.ts';

const manifests = readManifests(import.meta.dirname);
const isPolicy = ({ kind }: { readonly kind: string }) => kind === 'SecurityPolicy';

/**
 * The fields of a SecurityPolicy that the example uses. They come from the API reference of Envoy Gateway, because no
 * package with the schema was found.
 */
const Policy = z.strictObject({
  apiVersion: z.literal('gateway.envoyproxy.io/v1alpha1'),
  kind: z.literal('SecurityPolicy'),
  metadata: z.strictObject({ name: z.string(), namespace: z.string() }),
  spec: z.strictObject({
    targetRefs: z.array(z.strictObject({ group: z.string(), kind: z.string(), name: z.string() })),
    extAuth: z.strictObject({
      failOpen: z.boolean(),
      grpc: z.strictObject({
        backendRefs: z.array(
          z.strictObject({ name: z.string(), namespace: z.string(), port: z.int() }),
        ),
      }),
    }),
  }),
});

type ModelOfFilter = ConstructorParameters<typeof HTTPExternalAuthFilter>[0] & object;
const Route = z.object({
  spec: z.object({ rules: z.array(z.looseObject({ filters: z.array(z.unknown()).optional() })) }),
});
const Filter = z.strictObject({
  type: z.string(),
  externalAuth: z.custom<ModelOfFilter>((value) => typeof value === 'object'),
});

function filtersOf({ kind, object }: Manifest) {
  if (kind !== 'HTTPRoute') return [];
  return Route.parse(object)
    .spec.rules.flatMap(({ filters = [] }) => filters)
    .map((filter) => Filter.parse(filter));
}

function withoutFilters(manifest: Manifest): Manifest {
  const { file, apiVersion, kind } = manifest;
  const text = JSON.stringify(manifest.object, (key, value: unknown) =>
    key === 'filters' ? undefined : value,
  );
  return { file, apiVersion, kind, object: JSON.parse(text) as Manifest['object'] };
}

describe('the examples of Gateway API', () => {
  test('are valid by the schemas of Gateway API, which have every field', () => {
    const published = manifests.filter((manifest) => !isPolicy(manifest));
    expect(published.length).toBeGreaterThan(4);
    // The standard channel does not have the filter yet. The next test checks the filter.
    expect(manifestProblems(published.map(withoutFilters))).toEqual([]);
  });

  test('have a filter that is valid by its schema, and a filter with a misspelt field is not valid', () => {
    const filters = manifests.flatMap(filtersOf);
    expect(filters).toHaveLength(1);
    for (const { type, externalAuth } of filters) {
      expect(type).toBe('ExternalAuth');
      new HTTPExternalAuthFilter(externalAuth).validate();
      const { backendRef, ...rest } = externalAuth;
      const misspelt = { ...rest, backendReference: backendRef } as unknown as ModelOfFilter;
      expect(() => {
        new HTTPExternalAuthFilter(misspelt).validate();
      }).toThrow('backendRef');
    }
  });

  test('have a policy of Envoy Gateway with the fields of its reference', () => {
    const policies = manifests.filter(isPolicy).map(({ object }) => Policy.parse(object));
    expect(policies).toHaveLength(1);
    const targets = policies.flatMap(({ spec }) => spec.targetRefs.map(({ name }) => name));
    expect(targets).toEqual(['shop']);
  });

  test.each(['http-route.yaml', 'security-policy.yaml'])(
    '%s asks Guard at port 8086, and sends requests for /.guard to port 8085 without a question',
    (file) => {
      const text = JSON.stringify(manifests.filter((one) => one.file === file));
      const guard = (port: number) => `{"name":"guard","namespace":"guard","port":${port}}`;
      expect(text).toContain(guard(8086));
      expect(text).toContain(
        `{"matches":[{"path":{"type":"PathPrefix","value":"/.guard"}}],"backendRefs":[${guard(8085)}]}`,
      );
    },
  );

  test.each(['http-route.yaml', 'security-policy.yaml'])('%s is in the guide', (file) => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/guide/kubernetes.md'), 'utf8');
    expect(page).toContain(`\n${readFileSync(join(import.meta.dirname, file), 'utf8')}\`\`\`\n`);
  });
});
