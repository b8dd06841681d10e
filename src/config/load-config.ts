import { SecretBox } from './secret-box.js';
import { z } from 'zod';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import { listOf, type Config } from './config.js';
import { describeAllowed, VARIABLES, type ValueRule, type Variable } from './variables.js';

/** The schema of a variable, from the table of variables. */
function schemaOf(allowed: ValueRule): z.ZodType {
  switch (allowed.kind) {
    case 'integer':
      // Digits only: `1e3`, `0x10` and ` 7` are probably mistakes.
      return z
        .string()
        .regex(/^\d{1,15}$/)
        .transform(Number)
        .pipe(z.int().min(allowed.min).max(allowed.max));
    case 'choice':
      return z.enum(allowed.values);
    case 'text':
      return z.string().regex(allowed.pattern).optional();
  }
}

/**
 * Reads the configuration from an environment. An empty variable counts as unset.
 *
 * @throws ConsiliumError `VALIDATION_FAILED` that lists every fault: the variable, its value and
 *   the allowed values
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const { config, faults } = readConfig(env);
  if (faults.length > 0) throw wrongConfiguration(faults);
  return config;
}

/** An error that lists every fault: the variable, or the file and line. */
export function wrongConfiguration(faults: readonly Fault[]): ConsiliumError {
  const lines = faults.map(({ path, message }) => `  ${path} ${message}`);
  return new ConsiliumError(
    'VALIDATION_FAILED',
    ['The configuration is not valid:', ...lines].join('\n'),
    { faults: [...faults] },
  );
}

/**
 * The configuration with all faults of its variables; a property whose variable has a fault is
 * undefined.
 */
export function readConfig(env: NodeJS.ProcessEnv): { config: Config; faults: Fault[] } {
  const read = VARIABLES.map((variable) => ({
    variable,
    parsed: schemaOf(variable.allowed).safeParse(valueOf(variable, env)),
  }));
  const faults = read.flatMap(({ variable, parsed }) =>
    parsed.success ? [] : [faultOf(variable, env)],
  );
  const environment = Object.fromEntries(
    read.flatMap(({ variable: { property }, parsed }) =>
      property === undefined ? [] : [[property, parsed.data]],
    ),
  );
  const secretOf: Config['secretOf'] = (name) => env[name] || undefined;
  const config = Object.freeze({ ...environment, secretOf } as unknown as Config);
  if ((config.role === 'api' || config.role === 'worker') && config.redisUrl === undefined)
    faults.push({
      path: 'REDIS_URL',
      message: `is not set; ROLE=${config.role} needs it: redis://… or rediss://… (only ROLE=all can start a private Redis)`,
    });
  faults.push(...contradictions(config));
  if (faults.length === 0) faults.push(...accessFaults(config), ...keyFaults(config));
  return { config, faults };
}

/** The faults of the keys for stored secrets. */
function keyFaults(config: Config): Fault[] {
  try {
    SecretBox.from(config);
    return [];
  } catch (error) {
    return [{ path: 'SECRETS_KEYS_FILE', message: (error as Error).message }];
  }
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

/** The missing settings of authentication. Contract section 10. */
function accessFaults(config: Config): Fault[] {
  const ways = listOf(config.auth);
  const faults: Fault[] = [];
  if (ways.includes('none') && !LOOPBACK.test(config.host) && config.allowAnonymous === 'off')
    faults.push({
      path: 'AUTH',
      message: `is \`none\`, but HOST=${config.host} can be reached from other machines: set AUTH=keys, jwt or proxy, or ALLOW_ANONYMOUS=on if every caller may do everything`,
    });
  if (ways.includes('none') && config.fourEyes === 'on')
    faults.push({
      path: 'FOUR_EYES',
      message: 'is on, but with AUTH=none all callers are one: no other principal could approve',
    });
  const needed: [way: string, name: string, value: string | undefined][] = [
    ['jwt', 'OIDC_ISSUER', config.oidcIssuer],
    ['jwt', 'OIDC_AUDIENCE', config.oidcAudience],
    ['jwt', 'GROUP_ROLES', config.groupRoles],
    ['proxy', 'TRUSTED_PROXIES', config.trustedProxies],
    ['proxy', 'GROUP_ROLES', config.groupRoles],
  ];
  for (const [way, path, value] of needed)
    if (ways.includes(way) && value === undefined)
      faults.push({ path, message: `is not set; AUTH=${way} needs it` });
  return faults;
}

/** Values that are valid alone, but not in combination. */
function contradictions({
  retentionDays,
  indexRetentionDays,
  eventMaxBytes,
  logMaxBytes,
}: Config): Fault[] {
  const faults: Fault[] = [];
  if (indexRetentionDays < retentionDays)
    faults.push({
      path: 'INDEX_RETENTION_DAYS',
      message: `is ${indexRetentionDays}; allowed: at least RETENTION_DAYS (${retentionDays})`,
    });
  if (logMaxBytes < 4 * eventMaxBytes)
    faults.push({
      path: 'LOG_MAX_BYTES',
      message: `is ${logMaxBytes}; allowed: at least four times EVENT_MAX_BYTES (${eventMaxBytes})`,
    });
  return faults;
}

function valueOf(
  { name, default: fallback }: Variable,
  env: NodeJS.ProcessEnv,
): string | undefined {
  return [env[name], fallback].find((value) => value !== undefined && value !== '');
}

function faultOf(variable: Variable, env: NodeJS.ProcessEnv): Fault {
  const value = variable.secret ? 'is not valid' : `is ${JSON.stringify(env[variable.name])}`;
  const fallback = variable.default === '' ? '' : ` (default ${variable.default})`;
  return {
    path: variable.name,
    message: `${value}; allowed: ${describeAllowed(variable.allowed)}${fallback}`,
  };
}
