/** What a user must set. */
export const LEAST = { redis: { secret: { name: 'redis', key: 'url' } } };
/** Values that set everything. */
export const FULL = {
  image: { repository: 'registry.example/consilium', digest: `sha256:${'a'.repeat(64)}` },
  imagePullSecrets: [{ name: 'registry' }],
  redis: {
    secret: { name: 'redis', key: 'sentinels' },
    workerSecret: { name: 'redis-of-workers', key: 'sentinels' },
    ports: [6379, 26379],
    peers: [{ namespaceSelector: { matchLabels: { name: 'redis' } } }],
  },
  env: { LOG_LEVEL: 'warn', AUTH: 'jwt', TOPOLOGIES_DIR: '/etc/consilium' },
  secretEnv: { OTEL_EXPORTER_OTLP_HEADERS: { name: 'collector', key: 'headers' } },
  allowedHosts: ['consilium.example'],
  ingress: {
    enabled: true,
    className: 'nginx',
    tlsSecret: 'consilium-tls',
    hosts: ['consilium.example.com', 'diagnosis.example.com'],
  },
  bootstrapKey: { name: 'bootstrap', key: 'admin.key' },
  configMap: 'consilium',
  secretFiles: 'consilium-files',
  tenantSecrets: { default: 'passwords', 'Team A': 'passwords-of-a' },
  archiveClaim: 'archive',
  shutdownGraceSeconds: 25,
  podAnnotations: { 'prometheus.io/scrape': 'true' },
  api: {
    autoscaling: { enabled: true },
    ingressPeers: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }],
    tolerations: [{ key: 'spot', operator: 'Exists' }],
  },
  worker: {
    autoscaling: { enabled: true, oldestWaitingSeconds: 9, metricLabels: { queue: 'worker' } },
    secretEnv: { OPENAI_API_KEY: { name: 'models', key: 'openai' } },
    egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }],
    nodeSelector: { pool: 'workers' },
  },
  networkPolicy: { metricsPeers: [{ podSelector: { matchLabels: { app: 'prometheus' } } }] },
  serviceAccount: { name: 'existing' },
};

interface Container {
  volumeMounts: { name: string; mountPath: string }[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: object } }[];
  securityContext: object;
}
/** The part of a Deployment that the tests read. */
export interface Workload {
  selector: { matchLabels: Record<string, string> };
  template: {
    metadata: { labels: Record<string, string> };
    spec: {
      containers: [Container];
      volumes: { name: string }[];
      terminationGracePeriodSeconds: number;
    };
  };
}
