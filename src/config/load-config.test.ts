import { describe, expect, it } from '@jest/globals';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { FORMATS } from '../formats/registry.js';
import { loadConfig } from './load-config.js';
import { VARIABLES } from './variables.js';

function faultsOf(env: NodeJS.ProcessEnv): Fault[] {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConsiliumError) return error.options.faults ?? [];
  }
  return [];
}

describe('loadConfig', () => {
  it('defaults to a service on loopback with a private Redis', () => {
    expect(loadConfig({})).toEqual({
      role: 'all',
      host: '127.0.0.1',
      auth: 'none',
      allowAnonymous: 'off',
      authBootstrapKeyFile: undefined,
      oidcIssuer: undefined,
      oidcAudience: undefined,
      oidcTenantClaim: undefined,
      oidcGroupsClaim: 'groups',
      groupRoles: undefined,
      trustedProxies: undefined,
      proxyPrincipalHeader: 'X-Forwarded-User',
      proxyGroupsHeader: 'X-Forwarded-Groups',
      egressAllow: undefined,
      egressDeny: undefined,
      allowedHosts: undefined,
      allowedOrigins: undefined,
      port: 3000,
      redisUrl: undefined,
      redisPrefix: 'consilium',
      dataDir: '.data',
      topologiesDir: 'examples/topologies',
      incidentsDir: undefined,
      sourcesFile: undefined,
      toolsDir: undefined,
      behavioursDir: undefined,
      model: 'runbook',
      modelsFile: undefined,
      secretOf: expect.any(Function),
      streamFormat: 'executor',
      globalSupervisorConcurrency: 8,
      teamSupervisorConcurrency: 8,
      workerConcurrency: 16,
      probeConnectionsPerHost: 5,
      probesPerSecondPerHost: 20,
      secretsDir: undefined,
      secretsAllow: undefined,
      secretsKeysFile: undefined,
      approvalSeconds: 600,
      fourEyes: 'off',
      probeDnsPorts: '53',
      probePaths: undefined,
      localProbes: 'on',
      oracleConcurrency: 16,
      oracle: 'on',
      console: 'on',
      conversationDays: 30,
      monthlyMessages: 0,
      requestsPerMinute: 600,
      triggersPerMinute: 30,
      chatsPerMinute: 20,
      alertsPerMinute: 600,
      otelServiceName: 'consilium',
      maxStreams: 200,
      failedLoginsPerMinute: 10,
      maxOpenRuns: 50,
      maxTopologies: 500,
      maxConversations: 1_000,
      tokensPerDay: 0,
      costPerDay: 0,
      lockMs: 5000,
      stallMs: 1000,
      maxCrashes: 3,
      maxRetryAfterSeconds: 300,
      sweepSeconds: 5,
      shutdownGraceSeconds: 10,
      heartbeatSeconds: 15,
      maxFollowers: 20_000,
      followerBufferBytes: 262_144,
      followerStuckSeconds: 30,
      eventMaxBytes: 262144,
      logMaxEvents: 50000,
      logMaxBytes: 67108864,
      retentionDays: 7,
      retentionRuns: 10000,
      indexRetentionDays: 90,
      archiveDir: undefined,
      logLevel: 'info',
    });
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'consilium.example'])(
    'refuses HOST=%s without authentication',
    (HOST) => {
      expect(faultsOf({ HOST })).toMatchObject([{ path: 'AUTH' }]);
      expect(faultsOf({ HOST, ALLOW_ANONYMOUS: 'on' })).toEqual([]);
      expect(faultsOf({ HOST, AUTH: 'keys' })).toEqual([]);
    },
  );

  it.each(['localhost', '127.0.0.2', '::1'])('needs no authentication on %s', (HOST) =>
    expect(faultsOf({ HOST })).toEqual([]),
  );

  it('names every variable that a way to authenticate needs', () => {
    const paths = (AUTH: string) => faultsOf({ AUTH }).map(({ path }) => path);
    expect(paths('jwt')).toEqual(['OIDC_ISSUER', 'OIDC_AUDIENCE', 'GROUP_ROLES']);
    expect(paths('keys,proxy')).toEqual(['TRUSTED_PROXIES', 'GROUP_ROLES']);
    expect(paths('keys')).toEqual([]);
    expect(paths('none,keys')).toEqual(['AUTH']);
  });

  it('reads set variables and treats empty ones as unset', () => {
    const env = {
      ROLE: 'worker',
      REDIS_URL: 'rediss://u:p@redis.example:6380/2',
      PORT: '0',
      LOG_LEVEL: '',
      HOST: '::1',
      OTHER: 'x',
    };
    expect(loadConfig(env)).toMatchObject({
      role: 'worker',
      redisUrl: env.REDIS_URL,
      port: 0,
      logLevel: 'info',
      host: '::1',
    });
  });

  it('is frozen', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });

  it.each([
    ['PORT', 'http', 'is "http"; allowed: an integer from 0 to 65535 (default 3000)'],
    ['PORT', '65536', 'is "65536"; allowed: an integer from 0 to 65535 (default 3000)'],
    ['PORT', '-1', 'is "-1"; allowed: an integer from 0 to 65535 (default 3000)'],
    ['LOCK_MS', '1e4', 'is "1e4"; allowed: an integer from 100 to 600000 (default 5000)'],
    ['HEARTBEAT_SECONDS', '16', 'is "16"; allowed: an integer from 1 to 15 (default 15)'],
    ['WORKER_CONCURRENCY', '0', 'is "0"; allowed: an integer from 1 to 10000 (default 16)'],
    ['ROLE', 'both', 'is "both"; allowed: one of all, api, worker (default all)'],
    ['STREAM_FORMAT', 'xml', `is "xml"; allowed: one of ${FORMATS.join(', ')} (default executor)`],
    ['HOST', 'my host', 'is "my host"; allowed: an IP address or a host name (default 127.0.0.1)'],
    ...[
      'login.example',
      'http://login.example',
      'http://localhost.example',
      'http://localhost:x@login.example',
    ].map((issuer): [string, string, string] => [
      'OIDC_ISSUER',
      issuer,
      `is "${issuer}"; allowed: https://…, or http://… of this machine`,
    ]),
    [
      'REDIS_PREFIX',
      'a:{b}',
      'is "a:{b}"; allowed: 1 to 100 of A-Z a-z 0-9 _ . - (default consilium)',
    ],
  ])('refuses %s=%s and lists what is allowed', (name, value, message) => {
    expect(faultsOf({ [name]: value })).toEqual([{ path: name, message }]);
  });

  it.each([
    [
      { RETENTION_DAYS: '30', INDEX_RETENTION_DAYS: '29' },
      'INDEX_RETENTION_DAYS',
      /is 29; allowed: at least RETENTION_DAYS \(30\)/,
    ],
    [
      { EVENT_MAX_BYTES: '262145', LOG_MAX_BYTES: '1048576' },
      'LOG_MAX_BYTES',
      /at least four times EVENT_MAX_BYTES \(262145\)/,
    ],
    [{ RETENTION_RUNS: '0' }, 'RETENTION_RUNS', /an integer from 1 to/],
  ])('refuses %j, which is contradictory', (env, path, message) => {
    expect(faultsOf(env)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  it('never prints a password', () => {
    expect(faultsOf({ REDIS_URL: 'http://user:hunter2@redis.example' })).toEqual([
      {
        path: 'REDIS_URL',
        message: expect.stringMatching(/^is not valid; allowed: redis:\/\/… or rediss:\/\/…/),
      },
    ]);
  });

  it('returns the variable that a file names and prints none', () => {
    const config = loadConfig({ OPENROUTER_KEY: 'sk-secret', EMPTY: '' });
    expect(['OPENROUTER_KEY', 'EMPTY', 'MISSING'].map(config.secretOf)).toEqual([
      'sk-secret',
      undefined,
      undefined,
    ]);
    expect(JSON.stringify(config)).not.toContain('sk-secret');
  });

  it.each(['api', 'worker'])('requires REDIS_URL for ROLE=%s', (role) => {
    expect(faultsOf({ ROLE: role, REDIS_URL: '' })).toMatchObject([
      { path: 'REDIS_URL', message: expect.stringContaining(`ROLE=${role} needs it`) },
    ]);
  });

  it('lists all faults at once', () => {
    const env = { ROLE: 'api', PORT: 'x', LOG_LEVEL: 'loud', SWEEP_SECONDS: '0' };
    expect(faultsOf(env).map((fault) => fault.path)).toEqual([
      'PORT',
      'SWEEP_SECONDS',
      'LOG_LEVEL',
      'REDIS_URL',
    ]);
    expect(() => loadConfig(env)).toThrow(
      /^The configuration is not valid:\n {2}PORT is "x"; .*\n {2}SWEEP_SECONDS .*\n {2}LOG_LEVEL .*\n {2}REDIS_URL is not set/,
    );
  });
});

describe('VARIABLES', () => {
  it('names each variable and each field once', () => {
    expect(new Set(VARIABLES.map(({ name }) => name)).size).toBe(VARIABLES.length);
    const properties = VARIABLES.flatMap(({ property }) => property ?? []);
    expect(new Set(properties).size).toBe(properties.length);
  });

  it('names a variable after its field', () => {
    for (const { name, property } of VARIABLES)
      if (property !== undefined)
        expect(property.replace(/[A-Z]/g, '_$&').toUpperCase()).toBe(name);
  });
});
