import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { VARIABLES } from '../../src/config/variables.js';
import { manifestFaults } from '../support/helm/check-manifests.js';
import { canRender, renderChart, type Manifest } from '../support/helm/render-chart.js';

const CHART = join(import.meta.dirname, '../../deploy/helm/consilium');
const read = (name: string) => readFileSync(join(CHART, name), 'utf8');

const LEAST = { redis: { secret: { name: 'redis', key: 'url' } } };
const FULL = {
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
interface Workload {
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

describe('the schema of the values', () => {
  const validate = new Ajv({ strict: false }).compile(
    JSON.parse(read('values.schema.json')) as object,
  );
  const defaults = parse(read('values.yaml')) as object;

  it.each([LEAST, FULL])('accepts %#', (values) => {
    validate({ ...defaults, ...values });
    expect(validate.errors).toBeNull();
  });

  it.each([
    ['no Redis', {}],
    ['a number as a variable', { ...LEAST, env: { PORT_OF: 1 } }],
    ['a variable that the chart sets', { ...LEAST, env: { REDIS_URL: 'redis://h' } }],
    ['a folder that it mounts', { ...LEAST, env: { ARCHIVE_DIR: '/tmp' } }],
    ['a secret as text', { ...LEAST, secretEnv: { OPENAI_API_KEY: 'sk-1' } }],
    ['no worker', { ...LEAST, worker: { replicas: 0 } }],
  ])('refuses %s', (_, values) => expect(validate({ ...defaults, ...values })).toBe(false));
});

describe('the check of manifests', () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' } };
  it.each([
    ['an unknown kind', { ...service, kind: 'Servise' }],
    ['an unknown field', { ...service, spec: { portz: [] } }],
    ['a wrong type', { ...service, spec: { ports: [{ port: 'http' }] } }],
  ])('finds %s', (_, manifest) => expect(manifestFaults([manifest])).not.toEqual([]));
});

if (canRender())
  describe.each([
    ['the least values', LEAST],
    ['all values', FULL],
  ])('the chart with %s', (_, values) => {
    let manifests: Manifest[];
    beforeAll(() => void (manifests = renderChart(values)));
    const workload = (role: string) =>
      manifests.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith(role))
        ?.spec as Workload;
    const containers = () =>
      ['api', 'worker'].map((role) => workload(role).template.spec.containers[0]);

    it('is valid by the schemas of the Kubernetes API', () => {
      expect(manifests.length).toBeGreaterThan(7);
      expect(manifestFaults(manifests)).toEqual([]);
    });

    it('names everything once', () => {
      const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { env } of containers())
        expect(new Set(env.map(({ name }) => name)).size).toBe(env.length);
    });

    it('sets variables that exist, and secrets by reference', () => {
      const known = new Map(VARIABLES.map((variable) => [variable.name, variable]));
      for (const { name, value } of containers().flatMap(({ env }) => env)) {
        expect([name, known.has(name)]).toEqual([name, true]);
        if (known.get(name)?.secret) expect([name, value]).toEqual([name, undefined]);
      }
    });

    it('selects its own pods', () => {
      const selectors = manifests.flatMap(({ kind, spec }) => {
        const { selector, podSelector } = (spec ?? {}) as Record<string, { matchLabels?: object }>;
        if (kind === 'Service') return [selector];
        return [(selector ?? podSelector)?.matchLabels].filter((labels) => labels !== undefined);
      });
      expect(selectors.length).toBeGreaterThan(6);
      const pods = ['api', 'worker'].map((role) => workload(role).template.metadata.labels);
      for (const labels of selectors)
        expect(
          pods.filter((pod) => Object.entries(labels ?? {}).every(([k, v]) => pod[k] === v)),
        ).toHaveLength(1);
    });

    it('runs without rights that it does not need', () => {
      for (const { securityContext } of containers())
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    });

    it('gives running work its time at a shutdown', () => {
      for (const role of ['api', 'worker']) {
        const { terminationGracePeriodSeconds, containers: all } = workload(role).template.spec;
        const grace = all[0].env.find(({ name }) => name === 'SHUTDOWN_GRACE_SECONDS')?.value;
        expect(terminationGracePeriodSeconds).toBe(Number(grace) + 20);
      }
    });

    it('mounts volumes that a pod has, each once', () => {
      for (const role of ['api', 'worker']) {
        const { containers: all, volumes } = workload(role).template.spec;
        const names = volumes.map(({ name }) => name);
        expect(all[0].volumeMounts.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
        expect(new Set(names).size).toBe(names.length);
      }
    });

    it('gives keys of models to workers only', () => {
      const [api, worker] = containers().map(({ env }) => env.map(({ name }) => name));
      const isFull = values === FULL;
      expect([api?.includes('OPENAI_API_KEY'), worker?.includes('OPENAI_API_KEY')]).toEqual([
        false,
        isFull,
      ]);
    });
  });

if (canRender()) {
  it('renders no chart without a Redis', () =>
    expect(() => renderChart({})).toThrow('redis.secret.name is required'));

  it('gives workers their own user of Redis and the secrets of tenants, and all pods the archive', () => {
    const manifests = renderChart(FULL);
    const [api, worker] = ['api', 'worker'].map((role) => {
      const found = manifests.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith(role),
      );
      return (found?.spec as Workload).template.spec;
    });
    const urlOf = (spec = api) =>
      spec?.containers[0].env.find(({ name }) => name === 'REDIS_URL')?.valueFrom?.secretKeyRef;
    expect([urlOf(api), urlOf(worker)]).toEqual([
      { name: 'redis', key: 'sentinels' },
      { name: 'redis-of-workers', key: 'sentinels' },
    ]);
    const mountsOf = (spec = api) =>
      spec?.containers[0].volumeMounts.map(({ mountPath }) => mountPath);
    expect(mountsOf(api)).toContain('/archive');
    expect(mountsOf(api)?.join()).not.toContain('tenants');
    expect(mountsOf(worker)).toEqual(
      expect.arrayContaining([
        '/archive',
        '/run/secrets/tenants/default',
        '/run/secrets/tenants/Team A',
      ]),
    );
    expect(worker?.volumes).toContainEqual({
      name: expect.stringMatching(/^tenant-[0-9a-f]{16}$/),
      secret: { secretName: 'passwords-of-a', defaultMode: 288 },
    });
    const values = new Map(worker?.containers[0].env.map(({ name, value }) => [name, value]));
    expect([values.get('SECRETS_DIR'), values.get('ARCHIVE_DIR')]).toEqual([
      '/run/secrets/tenants',
      '/archive',
    ]);
  });

  it('has monitoring for the Prometheus operator and Grafana if it is wanted', () => {
    expect(renderChart(LEAST).map(({ kind }) => kind)).not.toContain('PodMonitor');
    const labels = { release: 'prometheus' };
    const apiKey = { name: 'scrape', key: 'api-key' };
    const manifests = renderChart({
      ...LEAST,
      monitoring: {
        podMonitor: { enabled: true, labels, apiKey },
        rules: { enabled: true, labels },
        dashboards: { enabled: true },
      },
    });
    const found = (kind: string) => manifests.find((each) => each.kind === kind);
    expect(found('PodMonitor')).toMatchObject({
      apiVersion: 'monitoring.coreos.com/v1',
      metadata: { name: 'shop-consilium', labels },
      spec: {
        selector: {
          matchLabels: {
            'app.kubernetes.io/name': 'consilium',
            'app.kubernetes.io/instance': 'shop',
          },
        },
        podMetricsEndpoints: [
          {
            port: 'http',
            path: '/metrics',
            authorization: { type: 'Bearer', credentials: apiKey },
          },
        ],
      },
    });
    const deploy = (name: string) => readFileSync(join(CHART, '../..', name), 'utf8');
    expect(found('PrometheusRule')).toMatchObject({
      metadata: { name: 'shop-consilium', labels },
      spec: parse(deploy('prometheus/consilium.rules.yaml')) as object,
    });
    const dashboards = found('ConfigMap') as Manifest & { data: Record<string, string> };
    expect(manifestFaults([dashboards])).toEqual([]);
    expect(dashboards.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
    expect(Object.keys(dashboards.data)).toEqual(['consilium-runs.json', 'consilium-service.json']);
    for (const [name, text] of Object.entries(dashboards.data))
      expect(JSON.parse(text)).toEqual(JSON.parse(deploy(`grafana/${name}`)));
  });

  it('scales workers by the age of the oldest job that waits', () => {
    const scaler = renderChart(FULL).find(
      ({ kind, metadata }) =>
        kind === 'HorizontalPodAutoscaler' && metadata.name.endsWith('worker'),
    );
    expect(scaler?.spec).toMatchObject({
      metrics: [
        {
          external: {
            metric: {
              name: 'consilium_oldest_waiting_seconds',
              selector: { matchLabels: { queue: 'worker' } },
            },
            target: { type: 'Value', value: '9' },
          },
        },
      ],
    });
  });

  it('scales workers by a query of KEDA if a Prometheus is named', () => {
    const { autoscaling } = FULL.worker;
    const prometheus = 'http://prometheus.monitoring:9090';
    const scaled = (metricLabels: object, authentication = '') => {
      const keda = { prometheus, authentication };
      const manifests = renderChart({
        ...FULL,
        worker: { ...FULL.worker, autoscaling: { ...autoscaling, metricLabels, keda } },
      });
      expect(manifestFaults(manifests)).toEqual([]);
      const scalers = manifests.filter(
        ({ metadata: { name }, kind }) =>
          name.endsWith('worker') && /Autoscaler|ScaledObject/.test(kind),
      );
      expect(scalers.map(({ kind }) => kind)).toEqual(['ScaledObject']);
      return scalers[0]?.spec;
    };
    expect(scaled({ queue: 'worker', job: 'a' }, 'prometheus')).toMatchObject({
      scaleTargetRef: { name: 'shop-consilium-worker' },
      minReplicaCount: 2,
      triggers: [
        {
          type: 'prometheus',
          metricType: 'Value',
          metadata: {
            serverAddress: prometheus,
            query: 'max(consilium_oldest_waiting_seconds{job="a",queue="worker"})',
            threshold: '9',
          },
          authenticationRef: { name: 'prometheus' },
        },
      ],
    });
    expect(scaled({})).toMatchObject({
      triggers: [{ metadata: { query: 'max(consilium_oldest_waiting_seconds{})' } }],
    });
  });

  it('lets streams through an ingress, for hosts that the API answers to', () => {
    const manifests = renderChart(FULL);
    const ingress = manifests.find(({ kind }) => kind === 'Ingress') as
      (Manifest & { metadata: { annotations: object } }) | undefined;
    const [host, other] = FULL.ingress.hosts;
    const backend = { service: { name: 'shop-consilium', port: { name: 'http' } } };
    const http = { paths: [{ path: '/', pathType: 'Prefix', backend }] };
    expect(ingress?.spec).toEqual({
      ingressClassName: 'nginx',
      tls: [{ hosts: [host, other], secretName: 'consilium-tls' }],
      rules: [
        { host, http },
        { host: other, http },
      ],
    });
    expect(ingress?.metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
    });
    const api = manifests.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('api'),
    );
    const [{ env }] = (api?.spec as Workload).template.spec.containers;
    const allowed = env.find(({ name }) => name === 'ALLOWED_HOSTS')?.value?.split(',');
    expect(allowed).toEqual(expect.arrayContaining(['consilium.example', host, other]));
  });

  it('has no ingress by itself, and none without a host', () => {
    expect(renderChart(LEAST).map(({ kind }) => kind)).not.toContain('Ingress');
    expect(() => renderChart({ ...LEAST, ingress: { enabled: true } })).toThrow(
      'ingress.hosts is required',
    );
  });

  it('leaves out policies if they are off', () => {
    const kinds = renderChart({ ...LEAST, networkPolicy: { enabled: false } }).map(
      ({ kind }) => kind,
    );
    expect(kinds).not.toContain('NetworkPolicy');
  });
}
