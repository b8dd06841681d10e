import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { knownSecrets } from '../../config/known-secrets.js';
import { mapTexts, redactSecrets, type Redact } from '../../lib/redact-secrets.js';
import { redactValues } from '../../lib/redact-values.js';

type Level = 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal';

/** Keys that may hold a secret, at several depths. */
const SECRETS = ['password', 'apiKey', 'authorization', 'cookie', 'token'].flatMap((key) => [
  key,
  `*.${key}`,
]);

interface Lines {
  write(line: string): unknown;
}

/** Structured logs on standard output: one JSON object per line, without secrets. */
export const makeLogger = (level: string, output: Lines = pino.destination()): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: SECRETS, censor: '[redacted]' },
    },
    { write: (line) => void output.write(redactLine(line)) },
  );

let redactKnown: { redact: Redact; known: readonly string[] } | undefined;

/** A line without the secrets of this process, in any encoding, and without what looks like one. */
function redactLine(line: string): string {
  const secrets = knownSecrets();
  if (redactKnown?.known !== secrets)
    redactKnown = { redact: redactValues(secrets), known: secrets };
  const { redact } = redactKnown;
  // The texts themselves: in the line they are escaped, and a pattern could take the end of one
  // with it.
  const fields = mapTexts(JSON.parse(line) as object, (text) => redactSecrets(redact(text)));
  return `${JSON.stringify(fields)}\n`;
}

/** Loggers of Nest's own start, about fifty lines. */
const BOOT = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

/** Logger of start failures, which the program that starts the service reports. */
const STARTING = 'ExceptionHandler';

/**
 * Nest's logger on pino. The fields of an object message (`runId`, `dispatchId`, …) become fields
 * of the line.
 */
export class PinoLogger implements LoggerService {
  constructor(private readonly pino: Logger) {}

  log = (message: unknown, ...rest: unknown[]) =>
    this.write(BOOT.has(String(rest.at(-1))) ? 'debug' : 'info', message, rest);
  error = (message: unknown, ...rest: unknown[]) => this.write('error', message, rest);
  warn = (message: unknown, ...rest: unknown[]) => this.write('warn', message, rest);
  debug = (message: unknown, ...rest: unknown[]) => this.write('debug', message, rest);
  verbose = (message: unknown, ...rest: unknown[]) => this.write('trace', message, rest);
  fatal = (message: unknown, ...rest: unknown[]) => this.write('fatal', message, rest);

  private write(level: Level, message: unknown, rest: unknown[]): void {
    // Nest passes the name of the logger last, after a stack trace.
    const context = rest.at(-1);
    if (context === STARTING) return;
    const fields = {
      ...(typeof context === 'string' ? { context } : {}),
      ...(rest.length > 1 && typeof rest[0] === 'string' ? { stack: rest[0] } : {}),
    };
    if (typeof message === 'object' && message !== null)
      this.pino[level]({ ...fields, ...message });
    else this.pino[level](fields, String(message));
  }
}
