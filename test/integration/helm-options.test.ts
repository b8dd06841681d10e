import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { FULL, LEAST, type Workload } from '../support/helm/chart-values.js';
import { manifestFaults } from '../support/helm/check-manifests.js';
import { canRender, renderChart, type Manifest } from '../support/helm/render-chart.js';

const DEPLOY = join(import.meta.dirname, '../../deploy');

(canRender() ? describe : describe.skip)('the options of the chart', () => {
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
    const deploy = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');
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
});
