import { asText } from '../../lib/json.js';
import { clipAtWord, fitsIn } from '../../lib/text.js';

/**
 * Fields in which programs and collectors store the message of a structured log, most specific
 * first.
 */
// prettier-ignore
export const MESSAGE_FIELDS: readonly string[] = ['body', 'message', 'msg', 'log', 'line', 'event', 'text', '@m', '@mt', 'short_message', 'textPayload', 'content', 'request'];

/**
 * Fields with the reason in structured logs: of OpenTelemetry, zap, logrus, pino, Serilog,
 * structlog and Python.
 */
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

/**
 * The text of a log record, with the fields about the error that structured logs keep outside of
 * the message.
 */
export function withError(body: string, fields: Readonly<Record<string, unknown>>): string {
  let text = body;
  for (const name of WHY) {
    const field = fields[name];
    const why = (isMessage(field) ? field.message : asText(field)).slice(0, MOST_WHY);
    // A flag or a number carries no information.
    if (/[a-z]{2}/i.test(why) && !/^(true|false|null|none)$/i.test(why) && !text.includes(why))
      text += `: ${why}`;
  }
  return text;
}

/**
 * `{"err": {"type": "Error", "message": "…", "stack": "…"}}`, as pino and bunyan write an error.
 */
const isMessage = (field: unknown): field is { message: string } =>
  typeof field === 'object' &&
  field !== null &&
  typeof (field as { message?: unknown }).message === 'string';

/**
 * Stack frames of Python, and of Java, .NET and Node.js: they show where it failed, and not why.
 */
const FRAMES = /Traceback \(most recent call last\):\n(?:[ \t].*\n)*|\n[ \t]+(?:at |\.\.\. \d).*/g;

/**
 * A further line that begins with a thrown error: `Caused by: …`, `java.io.IOException: …`,
 * `KeyError: …`.
 */
const THROWN = /\n(?:Caused by: |(?:[\w$]{1,80}\.){0,12}[\w$]{0,80}(?:Exception|Error): )/g;

/**
 * The content of a log line as a sentence of at most `most` characters: for a JSON object its
 * message and its error; for exceptions that do not fit the last one, which Java prints as the
 * cause of the others.
 */
export function quoteLine(line: string, most: number): string {
  const said = (messageIn(line) ?? line).replace(FRAMES, '');
  const whole = onOneLine(said);
  const last = [...said.matchAll(THROWN)].at(-1)?.index;
  const isWhole = fitsIn(whole, most) || last === undefined;
  return clipAtWord(isWhole ? whole : onOneLine(said.slice(last)), most);
}

const onOneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/**
 * The message and the error of a JSON object; undefined if the line is not a JSON object with a
 * message.
 */
export function messageIn(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const message = MESSAGE_FIELDS.map((name) => fields[name]).find(
    (each) => typeof each === 'string' && each !== '',
  );
  return message === undefined ? undefined : withError(asText(message), fields);
}
