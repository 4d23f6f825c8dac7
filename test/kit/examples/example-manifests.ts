import {
  HTTPRoute,
  type IHTTPRoute,
} from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute';
import { ReferenceGrant } from '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1beta1/ReferenceGrant';
import {
  type IPodMonitor,
  PodMonitor,
} from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import {
  HorizontalPodAutoscaler,
  type IHorizontalPodAutoscaler,
} from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

/** The fields that Kubernetes objects of every kind have. */
export interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly object: Readonly<Record<string, unknown>>;
}

/** The kinds of objects in the examples, with the module of each kind and its published schema. */
const KINDS: Readonly<Record<string, { module: string; validate(object: object): void }>> = {
  ConfigMap: {
    module: 'kubernetes-models/v1/ConfigMap',
    validate: (o) => new ConfigMap(o).validate(),
  },
  Deployment: {
    module: 'kubernetes-models/apps/v1/Deployment',
    validate: (o) => new Deployment(o).validate(),
  },
  HorizontalPodAutoscaler: {
    module: 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler',
    // The type of the constructor requires a spec. validate() checks that the object has a spec.
    validate: (o) => new HorizontalPodAutoscaler(o as IHorizontalPodAutoscaler).validate(),
  },
  HTTPRoute: {
    module: '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1/HTTPRoute',
    validate: (o) => new HTTPRoute(o as IHTTPRoute).validate(),
  },
  Namespace: {
    module: 'kubernetes-models/v1/Namespace',
    validate: (o) => new Namespace(o).validate(),
  },
  NetworkPolicy: {
    module: 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy',
    validate: (o) => new NetworkPolicy(o).validate(),
  },
  PodDisruptionBudget: {
    module: 'kubernetes-models/policy/v1/PodDisruptionBudget',
    validate: (o) => new PodDisruptionBudget(o).validate(),
  },
  PodMonitor: {
    module: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor',
    validate: (o) => new PodMonitor(o as IPodMonitor).validate(),
  },
  ReferenceGrant: {
    module: '@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1beta1/ReferenceGrant',
    validate: (o) => new ReferenceGrant(o).validate(),
  },
  Secret: { module: 'kubernetes-models/v1/Secret', validate: (o) => new Secret(o).validate() },
  StatefulSet: {
    module: 'kubernetes-models/apps/v1/StatefulSet',
    validate: (o) => new StatefulSet(o).validate(),
  },
  Service: { module: 'kubernetes-models/v1/Service', validate: (o) => new Service(o).validate() },
};

/** The objects of all .yaml files in a folder, in the order of their names. */
export function readManifests(folder: string): Manifest[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));
  return files
    .toSorted()
    .flatMap((file) => parseManifests(file, readFileSync(join(folder, file), 'utf8')));
}

/** The objects of one text. `file` is the name of the text in problems. */
export function parseManifests(file: string, text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => {
    const [error] = document.errors;
    if (error) throw new Error(`${file}: ${error.message}`);
    const object = document.toJS() as Manifest['object']; // manifestProblems checks the kind
    const { apiVersion, kind } = object;
    return { file, apiVersion: String(apiVersion), kind: String(kind), object };
  });
}

/** Returns all errors of these objects by Kubernetes' published schemas, also unknown fields. */
export function manifestProblems(manifests: readonly Manifest[]): string[] {
  const refusedManifests = manifests.flatMap(({ file, kind, object }) => {
    try {
      const kindSettings = KINDS[kind];
      if (!kindSettings) return [`${file}: no schema is known for ${kind}`];
      kindSettings.validate(object);
      return [];
    } catch (error) {
      return [`${file}: ${String(error)}`];
    }
  });
  return [...refusedManifests, ...unknownFields(manifests)];
}

/**
 * The schemas accept unknown fields, although a cluster ignores such fields. The types of the same schemas do not
 * accept them, so each object is checked as a literal of its type.
 */
function unknownFields(manifests: readonly Manifest[]): string[] {
  const name = join(import.meta.dirname, 'manifests.virtual.ts');
  const knownManifests = manifests.filter(({ kind }) => KINDS[kind]);
  const lines = knownManifests.map(({ kind, object }, index) => {
    const type = `import('${KINDS[kind]?.module ?? ''}').I${kind}`;
    return `export const m${index}: ${type} = ${JSON.stringify(object)};`;
  });
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => path === name || disk.fileExists(path),
    getSourceFile: (path, version, onError) =>
      path === name
        ? ts.createSourceFile(path, lines.join('\n'), version)
        : disk.getSourceFile(path, version, onError),
  };
  const program = ts.createProgram([name], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
    return `${knownManifests[line]?.file ?? name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}
