/** Kinds that are judged, by the names that `kubectl` takes for them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  Pod: ['pod', 'pods', 'po'],
  Service: ['service', 'services', 'svc'],
  Endpoints: ['endpoints', 'ep'],
  Deployment: ['deployment', 'deployments', 'deploy', 'deployment.apps', 'deployments.apps'],
  ReplicaSet: ['replicaset', 'replicasets', 'rs'],
  StatefulSet: ['statefulset', 'statefulsets', 'sts'],
  DaemonSet: ['daemonset', 'daemonsets', 'ds'],
  Job: ['job', 'jobs'],
  CronJob: ['cronjob', 'cronjobs', 'cj'],
  PersistentVolumeClaim: ['persistentvolumeclaim', 'persistentvolumeclaims', 'pvc'],
  PersistentVolume: ['persistentvolume', 'persistentvolumes', 'pv'],
  StorageClass: ['storageclass', 'storageclasses', 'sc'],
  Node: ['node', 'nodes', 'no'],
  ResourceQuota: ['resourcequota', 'resourcequotas', 'quota'],
  HorizontalPodAutoscaler: ['horizontalpodautoscaler', 'horizontalpodautoscalers', 'hpa'],
  Ingress: ['ingress', 'ingresses', 'ing'],
  NetworkPolicy: ['networkpolicy', 'networkpolicies', 'netpol'],
  Secret: ['secret', 'secrets'],
  ConfigMap: ['configmap', 'configmaps', 'cm'],
  ServiceAccount: ['serviceaccount', 'serviceaccounts', 'sa'],
};
const BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) => names.map((name) => [name, kind])),
);

/** A kind as the API spells it; undefined for one that is not judged. */
export const kindOf = (name: string): string | undefined => BY_NAME.get(name.toLowerCase());

/** The objects of an answer, from the arguments of its call. */
export interface Asked {
  kind: string;
  /** `kubectl get pods,svc` asks for several. */
  kinds: readonly string[];
  name?: string;
  namespace?: string;
  /** All objects of the kind, in the namespace or in the cluster. */
  isList: boolean;
}

const COMMAND =
  /\bkubectl\b.*?\b(?:describe|get)\s+([\w.,]{1,120})(?:[/ ]([a-z0-9][\w.-]{0,252}))?/;

/** The question to `kubectl`: as arguments, or as a command line. */
export function askedOf(tool: string, args: Readonly<Record<string, unknown>>): Asked | undefined {
  const text = (key: string) => (typeof args[key] === 'string' ? args[key] : undefined);
  const command = text('command') ?? text('cmd');
  if (command !== undefined) {
    const [, word = '', name] = COMMAND.exec(command) ?? [];
    const kinds = word.split(',').flatMap((each) => kindOf(each) ?? []);
    const [kind] = kinds;
    const namespace = /\s(?:-n|--namespace)[= ]([\w.-]{1,63})/.exec(command)?.[1];
    const isFiltered = /\s(?:-l|--selector|--field-selector)\b|\|/.test(command);
    if (kind === undefined) return undefined;
    return {
      kind,
      kinds,
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      isList: name === undefined && !isFiltered,
    };
  }
  const kind = kindOf(text('kind') ?? text('resource_type') ?? '');
  if (kind === undefined) return undefined;
  const name = text('name') ?? text('resource_name') ?? text('pod_name');
  const namespace = text('namespace');
  return {
    kind,
    kinds: [kind],
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && namespace !== '' && { namespace }),
    isList: /by_kind/.test(tool),
  };
}
