import { textOf } from './parse-attributes.js';

/** Fields in which structured logs say why: of OpenTelemetry, zap, logrus, pino, Serilog, structlog and Python. */
const WHY = [
  'exception.type',
  'exception.message',
  'error.message',
  'error',
  'err',
  'exception',
  'exc_info',
  'exc',
  'cause',
  '@x',
] as const;
const MOST_WHY = 1_000;

/** The text of a log record with what its fields say of the error, which structured logs keep out of the message. */
export function withError(body: string, fields: Readonly<Record<string, unknown>>): string {
  let text = body;
  for (const name of WHY) {
    const field = fields[name];
    const why = (isMessage(field) ? field.message : textOf(field)).slice(0, MOST_WHY);
    // A flag or a number says nothing.
    if (/[a-z]{2}/i.test(why) && !/^(true|false|null|none)$/i.test(why) && !text.includes(why))
      text += `: ${why}`;
  }
  return text;
}

/** `{"err": {"type": "Error", "message": "…", "stack": "…"}}`, as pino and bunyan write an error. */
const isMessage = (field: unknown): field is { message: string } =>
  typeof field === 'object' &&
  field !== null &&
  typeof (field as { message?: unknown }).message === 'string';
