import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type Manifest,
  manifestProblems,
  readManifests,
} from '../test/kit/examples/example-manifests.ts';
import { settingsProblems } from '../test/kit/examples/example-settings.ts';
import { renderKustomization } from '../test/kit/peers/kustomize.ts';
import { hasKubectl } from '../test/kit/tools.ts';

/** These tests check the manifests that `kubectl kustomize` renders, for each way to run Guard in a cluster. */

const FOLDER = join(import.meta.dirname, 'kubernetes');
const OVERLAYS = ['front', 'auth', 'sidecar'] as const;
type Overlay = (typeof OVERLAYS)[number];

const rendered = new Map<Overlay, readonly Manifest[]>();
function manifestsOf(overlay: Overlay): readonly Manifest[] {
  const manifests = rendered.get(overlay) ?? renderKustomization(join(FOLDER, overlay));
  rendered.set(overlay, manifests);
  return manifests;
}

interface NamedObject {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

function objectOf(overlay: Overlay, kind: string, name = 'guard'): unknown {
  const found = manifestsOf(overlay).filter(
    (manifest) =>
      manifest.kind === kind && (manifest.object as unknown as NamedObject).metadata.name === name,
  );
  expect(found).toHaveLength(1);
  return found[0]?.object;
}

// These types have only the fields that the tests read. The casts are safe: the first test checks all objects.
interface Container {
  readonly name: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: unknown;
  readonly restartPolicy?: string;
  readonly startupProbe?: unknown;
}
interface Pod {
  readonly securityContext: unknown;
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly initContainers?: readonly Container[];
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

const deploymentSpecOf = (overlay: Overlay) => (objectOf(overlay, 'Deployment') as Workload).spec;
const podOf = (overlay: Overlay) => deploymentSpecOf(overlay).template.spec;
const containersOf = ({ initContainers = [], containers }: Pod) => [
  ...initContainers,
  ...containers,
];
const guardOf = (overlay: Overlay) =>
  containersOf(podOf(overlay)).find(({ name }) => name === 'guard');
const settingsOf = (overlay: Overlay) =>
  (objectOf(overlay, 'ConfigMap') as { data: Record<string, string> }).data['guard.yaml'] ?? '';
const secretOf = (overlay: Overlay, name = 'guard') =>
  (objectOf(overlay, 'Secret', name) as { stringData: Record<string, string> }).stringData;

const mountedAt = (container: Container | undefined, volume: string | undefined) =>
  container?.volumeMounts.find(({ name }) => name === volume)?.mountPath ?? 'nowhere';

describe.skipIf(!hasKubectl)('the schemas of Kubernetes and of the Prometheus operator', () => {
  test('accept every object', () => {
    for (const overlay of OVERLAYS) {
      const kinds = manifestsOf(overlay).map(({ kind }) => kind);
      expect(new Set(kinds)).toEqual(
        new Set([
          'ConfigMap',
          'Deployment',
          'HorizontalPodAutoscaler',
          'Namespace',
          'NetworkPolicy',
          'PodDisruptionBudget',
          'PodMonitor',
          'Secret',
          'Service',
          'StatefulSet',
        ]),
      );
    }
    expect(manifestProblems(OVERLAYS.flatMap(manifestsOf))).toEqual([]);
  });

  test('refuse a misspelt field', () => {
    const wrong = structuredClone(manifestsOf('front'));
    const change = (kind: string, field: string) => {
      const object = wrong.find((manifest) => manifest.kind === kind)?.object;
      Object.assign(object?.['spec'] ?? {}, { [field]: 1 });
    };
    change('HorizontalPodAutoscaler', 'minReplica');
    change('PodMonitor', 'podMetricEndpoints');
    const problems = manifestProblems(wrong).join();
    expect(problems).toContain('minReplica');
    expect(problems).toContain('podMetricEndpoints');
  });
});

test('the kustomization.yaml in base/ lists every other file of this folder', () => {
  const files = readdirSync(join(FOLDER, 'base')).filter((file) => file !== 'kustomization.yaml');
  const base = readManifests(join(FOLDER, 'base')).find(({ kind }) => kind === 'Kustomization');
  expect(base?.object['resources']).toEqual(expect.arrayContaining(files));
});

describe.skipIf(!hasKubectl).each(OVERLAYS)('the overlay %s', (overlay) => {
  test('has all objects in the namespace that forbids privileges', () => {
    for (const { kind, object } of manifestsOf(overlay)) {
      const { metadata } = object as unknown as NamedObject;
      expect(kind === 'Namespace' ? metadata.name : metadata.namespace).toBe('guard');
    }
    expect(objectOf(overlay, 'Namespace')).toMatchObject({
      metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
  });

  test('has valid settings, and the Secret has exactly the variables that the settings name', () => {
    const randomSecret = randomBytes(32).toString('hex');
    const secret = secretOf(overlay);
    const realValues = {
      GUARD_SECRET: randomSecret,
      GUARD_ANALYTICS_KEY: `sk_api_ro_${randomSecret}`,
    };
    const settings = settingsOf(overlay);
    expect(settingsProblems(settings, { ...secret, ...realValues })).toEqual([]);
    const namedVariables = [...settings.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    expect(new Set(namedVariables)).toEqual(new Set(Object.keys(secret)));
    expect(settings).toBe(readFileSync(join(FOLDER, overlay, 'guard.yaml'), 'utf8'));
  });

  test('gets each secret as a mounted file', () => {
    const guard = guardOf(overlay);
    const volume = podOf(overlay).volumes.find(({ secret }) => secret?.secretName === 'guard');
    const folder = mountedAt(guard, volume?.name);
    const fileVariables = Object.keys(secretOf(overlay)).map((name) => [
      `${name}_FILE`,
      `${folder}/${name}`,
    ]);
    expect(guard?.env?.map(({ name, value }) => [name, value]).toSorted()).toEqual(
      fileVariables.toSorted(),
    );
  });

  test('refuses to start with the placeholder values', () => {
    const problems = settingsProblems(settingsOf(overlay), secretOf(overlay));
    expect(problems).toHaveLength(2);
    for (const problem of problems) expect(problem).toContain('this is a placeholder');
  });

  test('starts with the settings file of the ConfigMap', () => {
    const volume = podOf(overlay).volumes.find(({ configMap }) => configMap?.name === 'guard');
    const guard = guardOf(overlay);
    const file = `${mountedAt(guard, volume?.name)}/guard.yaml`;
    expect(guard?.args).toEqual(['start', '--config', file]);
  });

  test('listens on its container ports, and the Service, the network policy and the PodMonitor refer to these ports', () => {
    const ports = guardOf(overlay)?.ports ?? [];
    for (const { containerPort } of ports) {
      expect(settingsOf(overlay)).toContain(`: 0.0.0.0:${containerPort}`);
    }
    const publicPorts = ports.filter(({ name }) => name !== 'admin');
    expect(publicPorts.length).toBeGreaterThan(0);
    const { spec: service } = objectOf(overlay, 'Service') as {
      spec: { ports: { targetPort: string | number }[] };
    };
    expect(
      service.ports.map(
        ({ targetPort }) =>
          ports.find(({ name }) => name === targetPort)?.containerPort ?? targetPort,
      ),
    ).toEqual(publicPorts.map(({ containerPort }) => containerPort));
    const { spec } = objectOf(overlay, 'NetworkPolicy') as {
      spec: { ingress: { ports: { port: number }[] }[] };
    };
    expect(
      spec.ingress.flatMap(({ ports: openPorts }) => openPorts.map(({ port }) => port)),
    ).toEqual([9090, ...publicPorts.map(({ containerPort }) => containerPort)]);
    expect(objectOf(overlay, 'PodMonitor')).toMatchObject({
      spec: { podMetricsEndpoints: [{ port: 'admin', path: '/metrics' }] },
    });
  });

  test('writes only into volumes, because the root file system is read-only', () => {
    const written = [...settingsOf(overlay).matchAll(/(?:spill|path|ranges): (\/[\w/-]+)/g)].map(
      ([, path = '']) => path,
    );
    expect(written).toEqual(['/var/lib/guard/crawlers', '/var/lib/guard/spill']);
    const mounts = guardOf(overlay)?.volumeMounts.map(({ mountPath }) => mountPath) ?? [];
    for (const path of written) {
      expect(mounts.some((mount) => path.startsWith(`${mount}/`))).toBe(true);
    }
  });

  test('can fetch the lists of crawlers: it has a folder for them, and its network policy allows https', () => {
    expect(settingsOf(overlay)).toContain('crawlers: { ranges: /var/lib/guard/crawlers }');
    const { spec } = objectOf(overlay, 'NetworkPolicy') as {
      spec: {
        egress: { to: { ipBlock?: { cidr: string; except: string[] } }[]; ports: unknown }[];
      };
    };
    const egressToNetworks = spec.egress.filter(({ to }) => to.some(({ ipBlock }) => ipBlock));
    expect(egressToNetworks.map(({ ports }) => ports)).toEqual([[{ port: 443 }]]);
    const blocks = egressToNetworks.flatMap(({ to }) => to.map(({ ipBlock }) => ipBlock));
    expect(blocks.map((block) => block?.cidr)).toEqual(['0.0.0.0/0', '::/0']);
    expect(blocks[0]?.except).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16']),
    );
  });

  test('has three pods, never fewer than two, and more under load', () => {
    expect(deploymentSpecOf(overlay).replicas).toBe(3);
    expect(objectOf(overlay, 'PodDisruptionBudget')).toMatchObject({ spec: { maxUnavailable: 1 } });
    expect(objectOf(overlay, 'HorizontalPodAutoscaler')).toMatchObject({
      spec: { minReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'guard' } },
    });
  });

  test('uses the shared store and the password of the Secret', () => {
    const { hostname, port, password } = new URL(secretOf(overlay)['GUARD_REDIS_URL'] ?? '');
    expect(objectOf(overlay, 'Service', hostname)).toMatchObject({
      spec: { ports: [{ port: Number(port) }] },
    });
    expect(secretOf(overlay, 'guard-store')['store.conf']).toContain(`requirepass ${password}\n`);
    const { spec: store } = objectOf(overlay, 'StatefulSet', 'guard-store') as Workload;
    const volume = store.template.spec.volumes.find(
      ({ secret }) => secret?.secretName === 'guard-store',
    );
    const [container] = store.template.spec.containers;
    const folder = mountedAt(container, volume?.name);
    expect(container?.command).toEqual(['valkey-server', `${folder}/store.conf`]);
  });

  test.each([
    ['Deployment', 'guard'],
    ['StatefulSet', 'guard-store'],
  ])('has the %s %s without privileges, and every selector matches its pods', (kind, name) => {
    const { selector, template } = (objectOf(overlay, kind, name) as Workload).spec;
    expect(template.spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(template.spec.automountServiceAccountToken).toBe(false);
    for (const { securityContext } of containersOf(template.spec)) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
    const labelSelector = { matchLabels: template.metadata.labels };
    expect(selector).toEqual(labelSelector);
    expect(objectOf(overlay, 'Service', name)).toMatchObject({
      spec: { selector: template.metadata.labels },
    });
    expect(objectOf(overlay, 'NetworkPolicy', name)).toMatchObject({
      spec: { podSelector: labelSelector, policyTypes: ['Ingress', 'Egress'] },
    });
  });
});

describe.skipIf(!hasKubectl)('the sidecar', () => {
  test('is a native sidecar: it starts before the application, restarts, and ends after it', () => {
    const pod = podOf('sidecar');
    expect(pod.initContainers).toMatchObject([
      { name: 'guard', restartPolicy: 'Always', startupProbe: { httpGet: { path: '/ready' } } },
    ]);
    // The application sleeps before it is stopped (preStop), so Guard itself has no such hook.
    expect(guardOf('sidecar')).not.toHaveProperty('lifecycle');
    expect(pod.containers).toMatchObject([
      { name: 'app', lifecycle: { preStop: { sleep: { seconds: 5 } } } },
    ]);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(60);
    expect(settingsOf('sidecar')).toContain('origin: http://127.0.0.1:3000');
  });

  test('is in no other overlay', () => {
    for (const overlay of ['front', 'auth'] as const) {
      expect(podOf(overlay)).not.toHaveProperty('initContainers');
      expect(podOf(overlay).containers.map(({ name }) => name)).toEqual(['guard']);
    }
  });
});

test.skipIf(!hasKubectl)(
  'the routes of examples/gateway-api name the ports of the overlay auth',
  () => {
    const routes = readFileSync(
      join(import.meta.dirname, '../examples/gateway-api/http-route.yaml'),
      'utf8',
    );
    const { spec } = objectOf('auth', 'Service') as {
      spec: { ports: { port: number; appProtocol: string }[] };
    };
    expect(spec.ports.map(({ port, appProtocol }) => [port, appProtocol])).toEqual([
      [8085, 'http'],
      [8086, 'kubernetes.io/h2c'],
    ]);
    for (const { port } of spec.ports) {
      expect(routes).toContain(`{ name: guard, namespace: guard, port: ${port} }`);
    }
  },
);
