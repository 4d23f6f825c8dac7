import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { manifestProblems, readManifests } from '../../test/kit/example-manifests.ts';
import { settingsProblems } from '../../test/kit/example-settings.ts';

const manifests = readManifests(import.meta.dirname);

const objectOf = (kind: string): unknown =>
  manifests.find((manifest) => manifest.kind === kind)?.object;

interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly envFrom: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: unknown;
  readonly startupProbe: unknown;
  readonly readinessProbe: unknown;
  readonly livenessProbe: unknown;
}
interface Pod {
  readonly securityContext: unknown;
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly configMap?: { name: string } }[];
}
interface Workload {
  readonly spec: {
    readonly selector: { readonly matchLabels: unknown };
    readonly template: { readonly metadata: { readonly labels: unknown }; readonly spec: Pod };
  };
}

interface Named {
  readonly metadata: { readonly name: string };
}
interface Config extends Named {
  readonly data: Readonly<Record<string, string>>;
}
interface Values extends Named {
  readonly stringData: Readonly<Record<string, string>>;
}

// The shapes that a test looks at; that they are such objects the schemas say, in the first test.
const { spec: workload } = objectOf('Deployment') as Workload;
const config = objectOf('ConfigMap') as Config;
const secret = objectOf('Secret') as Values;

const pod = workload.template.spec;
const guard = pod.containers.find(({ name }) => name === 'guard');
const labels = workload.template.metadata.labels;
const settings = config.data['guard.yaml'] ?? '';

describe('the schemas of Kubernetes', () => {
  test('know every kind and every field, and find nothing wrong', () => {
    expect(manifests.map(({ kind }) => kind)).toEqual([
      'ConfigMap',
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ]);
    expect(manifestProblems(manifests)).toEqual([]);
  });

  test('find a missing field and a misspelt one, so their silence means something', () => {
    const wrong = structuredClone(manifests);
    const broken = wrong.find(({ kind }) => kind === 'Deployment');
    const { spec } = broken?.object as unknown as Workload;
    Object.assign(spec.template.spec.containers[0] ?? {}, { readinesProbe: {}, name: undefined });
    const problems = manifestProblems(wrong).join('\n');
    expect(problems).toContain('readinesProbe');
    expect(problems).toContain('must have required property name');
  });
});

describe('Guard in the pod', () => {
  test('reads settings that its own loader accepts, with the values of the Secret and no others', () => {
    const drawn = randomBytes(32).toString('hex');
    const replaced = { GUARD_SECRET: drawn, GUARD_ANALYTICS_KEY: `sk_api_ro_${drawn}` };
    expect(settingsProblems(settings, { ...secret.stringData, ...replaced })).toEqual([]);
    const asked = [...settings.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name);
    expect(new Set(asked)).toEqual(new Set(Object.keys(secret.stringData)));
    expect(guard?.envFrom).toEqual([{ secretRef: { name: secret.metadata.name } }]);
  });

  test('refuses to start with the values that were to be replaced', () => {
    const problems = settingsProblems(settings, secret.stringData);
    expect(problems).toHaveLength(2);
    for (const problem of problems) expect(problem).toContain('this is a placeholder');
  });

  test('is started from the mounted folder, where the ConfigMap has the file', () => {
    const volume = pod.volumes.find(({ configMap }) => configMap?.name === config.metadata.name);
    const mount = guard?.volumeMounts.find(({ name }) => name === volume?.name);
    expect(guard?.args).toEqual(['start', '--config', `${mount?.mountPath ?? ''}/guard.yaml`]);
  });

  test('listens where ports, probes and Service look, and keeps SQL to itself', () => {
    const ports = guard?.ports.map(({ name, containerPort }) => [name, containerPort]);
    expect(ports).toEqual([
      ['visitors', 8080],
      ['admin', 9090],
    ]);
    expect(settings).toContain('gateway: 0.0.0.0:8080');
    expect(settings).toContain('admin: 0.0.0.0:9090');
    expect(settings).toContain('api: 127.0.0.1:');
    const ready = { httpGet: { path: '/ready', port: 'admin' } };
    expect(guard?.startupProbe).toMatchObject(ready);
    expect(guard?.readinessProbe).toMatchObject(ready);
    expect(guard?.livenessProbe).toMatchObject({ httpGet: { path: '/metrics', port: 'admin' } });
    expect(objectOf('Service')).toMatchObject({
      spec: { selector: labels, ports: [{ targetPort: 'visitors' }] },
    });
  });

  test('and the application have no privileges (the restricted Pod Security Standard)', () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(pod.containers).toHaveLength(2);
    for (const { securityContext } of pod.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  test('writes only where a volume is: the root file system is read-only', () => {
    const written = [...settings.matchAll(/(?:spill|path): (\/\S+)/g)].map(([, path = '']) => path);
    expect(written).toEqual(['/var/lib/guard/spill']);
    const mounts = guard?.volumeMounts.map(({ mountPath }) => mountPath) ?? [];
    for (const path of written) {
      expect(mounts.some((mount) => path.startsWith(`${mount}/`))).toBe(true);
    }
  });
});

test('every selector finds the pods of the Deployment', () => {
  expect(workload.selector.matchLabels).toEqual(labels);
  expect(objectOf('NetworkPolicy')).toMatchObject({
    spec: { podSelector: { matchLabels: labels } },
  });
  expect(objectOf('PodDisruptionBudget')).toMatchObject({
    spec: { selector: { matchLabels: labels } },
  });
});

test('the README names every file', () => {
  const readme = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  for (const { file } of manifests) expect(readme).toContain(`\`${file}\``);
});
