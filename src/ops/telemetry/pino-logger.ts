import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';

type Level = 'info' | 'error' | 'warn' | 'debug' | 'trace' | 'fatal';

/** Keys that may hold a secret, wherever they stand. */
const SECRETS = ['password', 'apiKey', 'authorization', 'cookie', 'token'].flatMap((key) => [
  key,
  `*.${key}`,
]);

/** Structured logs: one JSON object a line, on standard output. */
export const makeLogger = (level: string): Logger =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRETS, censor: '[redacted]' },
  });

/** What Nest tells of its own start, fifty lines of it. */
const BOOT = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);

/** A fault that keeps the service from starting is reported by the program that starts it. */
const STARTING = 'ExceptionHandler';

/** Nest's logger on pino: a message that is an object gives its fields (`runId`, `dispatchId`, …) to the line. */
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
    // Nest passes the name of the logger last, and before it a stack.
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
