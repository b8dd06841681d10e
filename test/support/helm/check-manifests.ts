import { join } from 'node:path';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import ts from 'typescript';
import type { Manifest } from './render-chart.js';

/** The schemas of the Kubernetes API and of KEDA, by `apiVersion/kind`. */
const KINDS = {
  'apps/v1/Deployment': Deployment,
  'autoscaling/v2/HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'keda.sh/v1alpha1/ScaledObject': ScaledObject,
  'networking.k8s.io/v1/Ingress': Ingress,
  'networking.k8s.io/v1/NetworkPolicy': NetworkPolicy,
  'policy/v1/PodDisruptionBudget': PodDisruptionBudget,
  'v1/ConfigMap': ConfigMap,
  'v1/Service': Service,
  'v1/ServiceAccount': ServiceAccount,
};

/**
 * Faults of manifests by the schemas of the Kubernetes API. Their validators accept unknown fields,
 * which the API server warns of and drops; the types that are generated from the same schemas do
 * not.
 */
export const manifestFaults = (manifests: readonly Manifest[]): string[] => [
  ...manifests.flatMap(schemaFault),
  ...typeFaults(manifests),
];

function schemaFault(manifest: Manifest): string[] {
  const name = `${manifest.apiVersion}/${manifest.kind}`;
  const Kind = KINDS[name as keyof typeof KINDS];
  if (!Kind) return [`there is no kind ${name}`];
  try {
    new Kind(manifest as never).validate();
    return [];
  } catch (error) {
    return [`${name}: ${(error as Error).message}`];
  }
}

const packageOf = (apiVersion: string): string =>
  apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models';

function typeFaults(manifests: readonly Manifest[]): string[] {
  const lines = manifests.map(
    ({ apiVersion, kind, ...rest }, i) =>
      `import { I${kind} as T${i} } from '${packageOf(apiVersion)}/${apiVersion}/${kind}';\n` +
      `export const m${i}: T${i} = ${JSON.stringify({ apiVersion, kind, ...rest })};`,
  );
  const file = join(import.meta.dirname, 'rendered-manifests.ts');
  const options: ts.CompilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
  };
  const host = ts.createCompilerHost(options);
  const own = {
    getSourceFile: host.getSourceFile.bind(host),
    fileExists: host.fileExists.bind(host),
  };
  host.fileExists = (name) => name === file || own.fileExists(name);
  host.getSourceFile = (name, ...rest) =>
    name === file
      ? ts.createSourceFile(name, lines.join('\n'), ts.ScriptTarget.ES2022)
      : own.getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
