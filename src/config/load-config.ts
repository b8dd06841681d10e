import 'reflect-metadata';
import { plainToInstance, Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Matches, Max, Min, validateSync } from 'class-validator';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import type { Config } from './config.js';
import { describeAllowed, VARIABLES, type Allowed, type Variable } from './variables.js';

/** Gets its fields and their rules from the table of variables, so that code, README and `.env.example` cannot differ. */
class Environment {}

for (const { property, allowed } of VARIABLES) {
  for (const decorate of rulesOf(allowed)) decorate(Environment.prototype, property);
}

function rulesOf(allowed: Allowed): PropertyDecorator[] {
  switch (allowed.kind) {
    case 'integer':
      return [
        Transform(({ value }) => toInteger(value)),
        IsInt(),
        Min(allowed.min),
        Max(allowed.max),
      ];
    case 'choice':
      return [IsIn(allowed.values)];
    case 'text':
      return [IsOptional(), Matches(allowed.pattern)];
  }
}

/** Digits only: `1e3`, `0x10` and ` 7` are more likely slips than wishes. */
function toInteger(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

/**
 * The configuration that an environment asks for. An empty variable counts as unset.
 *
 * @throws ConsiliumError `VALIDATION_FAILED` that lists every fault: the variable, what is wrong with it, what is allowed
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const environment = plainToInstance(
    Environment,
    Object.fromEntries(VARIABLES.map((variable) => [variable.property, valueOf(variable, env)])),
  );
  const wrong = new Set(validateSync(environment).map((error) => error.property));
  const faults = VARIABLES.filter(({ property }) => wrong.has(property)).map((variable) =>
    faultOf(variable, env),
  );
  const secretOf: Config['secretOf'] = (name) => env[name] || undefined;
  const config = Object.freeze({ ...environment, secretOf } as Config);
  if ((config.role === 'api' || config.role === 'worker') && config.redisUrl === undefined)
    faults.push({
      path: 'REDIS_URL',
      message: `is not set; ROLE=${config.role} needs one: redis://… or rediss://… (only ROLE=all can start a private Redis)`,
    });
  faults.push(...contradictions(config));
  if (faults.length > 0) {
    const lines = faults.map(({ path, message }) => `  ${path} ${message}`);
    throw new ConsiliumError(
      'VALIDATION_FAILED',
      ['The configuration is wrong:', ...lines].join('\n'),
      { faults },
    );
  }
  return config;
}

/** Values that are fine each by itself, but not together. */
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
