/** A resource that is listed, with the group versions that have it, preferred ones first. */
export interface ResourceType {
  kind: string;
  /** As in the path of the API and in a role. */
  name: string;
  versions: readonly string[];
  /** Of the whole cluster, without a namespace. */
  clusterWide?: true;
}

/** Of the Gateway API, which is no part of Kubernetes itself. */
const GATEWAY = ['gateway.networking.k8s.io/v1', 'gateway.networking.k8s.io/v1beta1'];

/**
 * The resources that the rules need, most important first: if a reading is limited, the last ones
 * are omitted.
 */
export const RESOURCES: readonly ResourceType[] = [
  { kind: 'Pod', name: 'pods', versions: ['v1'] },
  { kind: 'Deployment', name: 'deployments', versions: ['apps/v1'] },
  { kind: 'StatefulSet', name: 'statefulsets', versions: ['apps/v1'] },
  { kind: 'DaemonSet', name: 'daemonsets', versions: ['apps/v1'] },
  { kind: 'ReplicaSet', name: 'replicasets', versions: ['apps/v1'] },
  { kind: 'Service', name: 'services', versions: ['v1'] },
  { kind: 'Event', name: 'events', versions: ['v1'] },
  { kind: 'Job', name: 'jobs', versions: ['batch/v1'] },
  { kind: 'CronJob', name: 'cronjobs', versions: ['batch/v1', 'batch/v1beta1'] },
  { kind: 'Ingress', name: 'ingresses', versions: ['networking.k8s.io/v1'] },
  {
    kind: 'IngressClass',
    name: 'ingressclasses',
    versions: ['networking.k8s.io/v1'],
    clusterWide: true,
  },
  { kind: 'PersistentVolumeClaim', name: 'persistentvolumeclaims', versions: ['v1'] },
  {
    kind: 'StorageClass',
    name: 'storageclasses',
    versions: ['storage.k8s.io/v1'],
    clusterWide: true,
  },
  { kind: 'Node', name: 'nodes', versions: ['v1'], clusterWide: true },
  { kind: 'ResourceQuota', name: 'resourcequotas', versions: ['v1'] },
  {
    kind: 'HorizontalPodAutoscaler',
    name: 'horizontalpodautoscalers',
    versions: ['autoscaling/v2', 'autoscaling/v2beta2'],
  },
  {
    kind: 'PodDisruptionBudget',
    name: 'poddisruptionbudgets',
    versions: ['policy/v1', 'policy/v1beta1'],
  },
  {
    kind: 'ValidatingWebhookConfiguration',
    name: 'validatingwebhookconfigurations',
    versions: ['admissionregistration.k8s.io/v1'],
    clusterWide: true,
  },
  {
    kind: 'MutatingWebhookConfiguration',
    name: 'mutatingwebhookconfigurations',
    versions: ['admissionregistration.k8s.io/v1'],
    clusterWide: true,
  },
  { kind: 'Gateway', name: 'gateways', versions: GATEWAY },
  { kind: 'HTTPRoute', name: 'httproutes', versions: GATEWAY },
  { kind: 'GatewayClass', name: 'gatewayclasses', versions: GATEWAY, clusterWide: true },
  { kind: 'NetworkPolicy', name: 'networkpolicies', versions: ['networking.k8s.io/v1'] },
  { kind: 'PersistentVolume', name: 'persistentvolumes', versions: ['v1'], clusterWide: true },
  { kind: 'ConfigMap', name: 'configmaps', versions: ['v1'] },
];
