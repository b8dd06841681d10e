import type { Format } from '../formats/registry.js';

/**
 * The configuration of the service: frozen, read from the environment once by `loadConfig`.
 * `variables.ts` has the meaning, unit and default of each field; docs/configuration.md and
 * `.env.example` are written from it.
 */
export interface Config {
  readonly role: 'api' | 'worker' | 'all';
  readonly host: string;
  /** Ways to authenticate, separated by commas. */
  readonly auth: string;
  readonly allowAnonymous: 'on' | 'off';
  readonly authBootstrapKeyFile: string | undefined;
  readonly oidcIssuer: string | undefined;
  readonly oidcAudience: string | undefined;
  readonly oidcTenantClaim: string | undefined;
  readonly oidcGroupsClaim: string;
  /** `GROUP=ROLE`, separated by commas. */
  readonly groupRoles: string | undefined;
  readonly trustedProxies: string | undefined;
  readonly proxyPrincipalHeader: string;
  readonly proxyGroupsHeader: string;
  /** Comma-separated; see {@link listOf}. */
  readonly allowedHosts: string | undefined;
  readonly allowedOrigins: string | undefined;
  /** 0: any free port. */
  readonly port: number;
  /** Undefined: a private Redis is started (role `all` only). */
  readonly redisUrl: string | undefined;
  readonly redisPrefix: string;
  readonly dataDir: string;
  /** Whether the web console is served. */
  readonly console: 'on' | 'off';
  /** Default format of event streams. */
  readonly streamFormat: Format;
  readonly topologiesDir: string;
  /** Undefined: no bundles are mounted. */
  readonly incidentsDir: string | undefined;
  readonly sourcesFile: string | undefined;
  readonly toolsDir: string | undefined;
  readonly alertsFile: string | undefined;
  readonly reportsFile: string | undefined;
  readonly schedulesFile: string | undefined;
  readonly behavioursDir: string | undefined;
  readonly subscribersDir: string | undefined;
  readonly rulesDir: string | undefined;
  readonly promptsDir: string | undefined;
  /**
   * Model of agents that name none: `runbook`, a name in the models file, or `provider/model-id`.
   */
  readonly model: string;
  readonly modelsFile: string | undefined;
  /**
   * Returns the value of a variable by its name: one that a file refers to, or one of a model
   * provider. It is a function, so that no dump of the configuration shows the value.
   */
  readonly secretOf: (name: string) => string | undefined;
  readonly globalSupervisorConcurrency: number;
  readonly teamSupervisorConcurrency: number;
  readonly workerConcurrency: number;
  readonly probeConnectionsPerHost: number;
  readonly probesPerSecondPerHost: number;
  /** Rules, separated by commas. */
  readonly egressAllow: string | undefined;
  readonly egressDeny: string | undefined;
  /** Folder with a subfolder of credentials for each tenant. */
  readonly secretsDir: string | undefined;
  /** `env:NAME` and `file:/PATH`, separated by commas. */
  readonly secretsAllow: string | undefined;
  /** File of the keys that seal stored secrets. */
  readonly secretsKeysFile: string | undefined;
  readonly approvalSeconds: number;
  readonly fourEyes: 'on' | 'off';
  readonly probeDnsPorts: string;
  readonly probePaths: string | undefined;
  readonly localProbes: 'on' | 'off';
  readonly oracleConcurrency: number;
  readonly oracle: 'on' | 'off';
  readonly conversationDays: number;
  /** Answered messages per caller and month; 0: no limit. */
  readonly monthlyMessages: number;
  /** Limits of a principal; 0: no limit. */
  readonly requestsPerMinute: number;
  readonly triggersPerMinute: number;
  readonly chatsPerMinute: number;
  readonly alertsPerMinute: number;
  readonly maxStreams: number;
  /** Of an address; 0: no limit. */
  readonly failedLoginsPerMinute: number;
  /** Limits of a tenant; 0: no limit. */
  readonly maxOpenRuns: number;
  readonly maxTopologies: number;
  readonly maxConversations: number;
  readonly tokensPerDay: number;
  readonly costPerDay: number;
  readonly lockMs: number;
  readonly stallMs: number;
  readonly maxCrashes: number;
  /** The maximum pause of a model that a provider may request. */
  readonly maxRetryAfterSeconds: number;
  readonly sweepSeconds: number;
  readonly shutdownGraceSeconds: number;
  readonly heartbeatSeconds: number;
  readonly maxFollowers: number;
  readonly followerBufferBytes: number;
  readonly followerStuckSeconds: number;
  readonly eventMaxBytes: number;
  readonly logMaxEvents: number;
  readonly logMaxBytes: number;
  readonly retentionDays: number;
  readonly retentionRuns: number;
  readonly indexRetentionDays: number;
  /** Undefined: logs are not archived. */
  readonly archiveDir: string | undefined;
  /** Base URL of the collector of traces; undefined: no traces are sent. */
  readonly otelExporterOtlpEndpoint: string | undefined;
  readonly otelServiceName: string;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
}

/** Splits a comma-separated variable, in lower case. */
export const listOf = (text: string | undefined): string[] =>
  text === undefined ? [] : text.toLowerCase().split(/\s*,\s*/);
