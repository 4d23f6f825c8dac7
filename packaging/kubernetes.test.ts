import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manifestProblems, readManifests } from '../test/kit/example-manifests.ts';
import { settingsProblems } from '../test/kit/example-settings.ts';

const manifests = readManifests(join(import.meta.dirname, 'kubernetes'));

interface Metadata {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

function objectOf(kind: string, name: string): unknown {
  const found = manifests.filter(
    (manifest) =>
      manifest.kind === kind && (manifest.object as unknown as Metadata).metadata.name === name,
  );
  expect(found).toHaveLength(1);
  return found[0]?.object;
}

interface Container {
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: unknown;
}
interface Pod {
  readonly securityContext: unknown;
  readonly automountServiceAccountToken: boolean;
  readonly containers: readonly Container[];
  readonly volumes: readonly {
    readonly name: string;
    readonly configMap?: { readonly name: string };
    readonly secret?: { readonly secretName: string };
  }[];
}
interface Workload {
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: unknown };
    readonly template: { readonly metadata: { readonly labels: unknown }; readonly spec: Pod };
  };
}

// The shapes that a test looks at; that they are such objects the schemas say, in the first test.
const { spec: gateways } = objectOf('Deployment', 'guard') as Workload;
const { spec: store } = objectOf('StatefulSet', 'guard-store') as Workload;
const { data } = objectOf('ConfigMap', 'guard') as { data: Record<string, string> };
const { stringData } = objectOf('Secret', 'guard') as { stringData: Record<string, string> };
const settings = data['guard.yaml'] ?? '';
const pod = gateways.template.spec;
const [guard] = pod.containers;

const mountedAt = (container: Container | undefined, volume: string | undefined) =>
  container?.volumeMounts.find(({ name }) => name === volume)?.mountPath ?? 'nowhere';

describe('the schemas of Kubernetes', () => {
  test('know every kind and every field, and find nothing wrong', () => {
    expect(new Set(manifests.map(({ kind }) => kind))).toEqual(
      new Set([
        'ConfigMap',
        'Deployment',
        'HorizontalPodAutoscaler',
        'Namespace',
        'NetworkPolicy',
        'PodDisruptionBudget',
        'Secret',
        'Service',
        'StatefulSet',
      ]),
    );
    expect(manifestProblems(manifests)).toEqual([]);
  });

  test('find a misspelt field, so their silence means something', () => {
    const wrong = structuredClone(manifests);
    const scaler = wrong.find(({ kind }) => kind === 'HorizontalPodAutoscaler');
    Object.assign(scaler?.object['spec'] ?? {}, { minReplica: 1 });
    expect(manifestProblems(wrong).join()).toContain('minReplica');
  });

  test('everything is in the namespace that refuses privileges', () => {
    for (const { kind, object } of manifests) {
      const { metadata } = object as unknown as Metadata;
      expect(kind === 'Namespace' ? metadata.name : metadata.namespace).toBe('guard');
    }
    expect(objectOf('Namespace', 'guard')).toMatchObject({
      metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
  });
});

describe('the gateways', () => {
  test('read settings that the loader accepts, with the values of the Secret and no others', () => {
    const drawn = randomBytes(32).toString('hex');
    const replaced = { GUARD_SECRET: drawn, GUARD_ANALYTICS_KEY: `sk_api_ro_${drawn}` };
    expect(settingsProblems(settings, { ...stringData, ...replaced })).toEqual([]);
    const asked = [...settings.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    expect(new Set(asked)).toEqual(new Set(Object.keys(stringData)));
  });

  test('get each secret as a file, from where it is mounted', () => {
    const volume = pod.volumes.find(({ secret }) => secret?.secretName === 'guard');
    const folder = mountedAt(guard, volume?.name);
    expect(guard?.env?.map(({ name, value }) => [name, value])).toEqual(
      Object.keys(stringData).map((name) => [`${name}_FILE`, `${folder}/${name}`]),
    );
  });

  test('refuse to start with the values that were to be replaced', () => {
    const problems = settingsProblems(settings, stringData);
    expect(problems).toHaveLength(2);
    for (const problem of problems) expect(problem).toContain('this is a placeholder');
  });

  test('are started from the mounted folder, where the ConfigMap has the file', () => {
    const volume = pod.volumes.find(({ configMap }) => configMap?.name === 'guard');
    const file = `${mountedAt(guard, volume?.name)}/guard.yaml`;
    expect(guard?.args).toEqual(['start', '--config', file]);
  });

  test('write only where a volume is: the root file system is read-only', () => {
    const written = [...settings.matchAll(/(?:spill|path): (\/\S+)/g)].map(([, path = '']) => path);
    expect(written).toEqual(['/var/lib/guard/spill']);
    const mounts = guard?.volumeMounts.map(({ mountPath }) => mountPath) ?? [];
    for (const path of written) {
      expect(mounts.some((mount) => path.startsWith(`${mount}/`))).toBe(true);
    }
  });

  test('are three, never fewer than two, and as many as their processors ask for', () => {
    expect(gateways.replicas).toBe(3);
    expect(objectOf('PodDisruptionBudget', 'guard')).toMatchObject({ spec: { maxUnavailable: 1 } });
    expect(objectOf('HorizontalPodAutoscaler', 'guard')).toMatchObject({
      spec: { minReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'guard' } },
    });
  });

  test('share the store that the Secret names, with the password that it asks for', () => {
    const { hostname, port, password } = new URL(stringData['GUARD_REDIS_URL'] ?? '');
    expect(objectOf('Service', hostname)).toMatchObject({
      spec: { ports: [{ port: Number(port) }] },
    });
    const { stringData: conf } = objectOf('Secret', 'guard-store') as {
      stringData: Record<string, string>;
    };
    expect(conf['store.conf']).toContain(`requirepass ${password}\n`);
    const volume = store.template.spec.volumes.find(
      ({ secret }) => secret?.secretName === 'guard-store',
    );
    const [container] = store.template.spec.containers;
    const folder = mountedAt(container, volume?.name);
    expect(container?.command).toEqual(['valkey-server', `${folder}/store.conf`]);
  });
});

describe.each([
  ['guard', gateways],
  ['guard-store', store],
])('the pods of %s', (name, { selector, template }) => {
  test('have no privileges (the restricted Pod Security Standard) and no token of the cluster', () => {
    expect(template.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(template.spec.automountServiceAccountToken).toBe(false);
    for (const { securityContext } of template.spec.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  test('are those that every selector finds, and their network policy names who may connect', () => {
    const labels = { matchLabels: template.metadata.labels };
    expect(selector).toEqual(labels);
    expect(objectOf('Service', name)).toMatchObject({
      spec: { selector: template.metadata.labels },
    });
    expect(objectOf('NetworkPolicy', name)).toMatchObject({
      spec: { podSelector: labels, policyTypes: ['Ingress', 'Egress'] },
    });
  });
});
