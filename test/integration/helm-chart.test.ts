import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { VARIABLES } from '../../src/config/variables.js';
import { manifestFaults } from '../support/helm/check-manifests.js';
import { FULL, LEAST, type Workload } from '../support/helm/chart-values.js';
import { canRender, renderChart, type Manifest } from '../support/helm/render-chart.js';

const CHART = join(import.meta.dirname, '../../deploy/helm/consilium');
const read = (name: string) => readFileSync(join(CHART, name), 'utf8');

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
}
