import { z } from 'zod';
import { fitsIn } from '../../../lib/text.js';
import { ATTRIBUTE_BOUNDS, boundsText } from '../node-attributes.js';
import { label, must, sized } from './forms.js';

const positive = z.number(must('a positive number')).positive(must('a positive number'));
const percent = z
  .number(must('a positive number'))
  .min(1, must('a percentage, at least 1'))
  .max(100, must('a percentage, at most 100'));

/** A number that a tool reads; null is the default of the tool. */
function bounded(name: keyof typeof ATTRIBUTE_BOUNDS) {
  const bounds = ATTRIBUTE_BOUNDS[name];
  const [least, most = Number.MAX_SAFE_INTEGER] = bounds;
  const form = must(boundsText(bounds));
  return z.number(form).min(least, form).max(most, form).nullable().exactOptional();
}

const STATUS_FORM = 'a status (200), a range ("200-399") or a list of these';
const status = z.int(must(STATUS_FORM)).min(100, must(STATUS_FORM)).max(599, must(STATUS_FORM));
const statusText = z
  .string(must(STATUS_FORM))
  .refine(
    (text) => fitsIn(text, 200) && text.split(',').every(isStatusRange),
    `must be ${STATUS_FORM}`,
  );
const statuses = z.union([status, statusText], must(STATUS_FORM));

/** "404", "200-399". */
function isStatusRange(text: string): boolean {
  const [, low, high] = /^([1-5]\d\d)(?:\s*[-–]\s*([1-5]\d\d))?$/.exec(text.trim()) ?? [];
  return low !== undefined && (high === undefined || low <= high);
}

/**
 * Thresholds (contract section 9) and other numbers. Other attributes are validated by the tool
 * that reads them.
 */
export const attributesSchema = z.looseObject(
  {
    slowMs: positive.exactOptional(),
    certificateDays: positive.exactOptional(),
    memoryPercent: percent.exactOptional(),
    diskPercent: percent.exactOptional(),
    connectionsPercent: bounded('connectionsPercent'),
    intervalMs: bounded('intervalMs'),
    loadPerCore: bounded('loadPerCore'),
    nginxConnections: bounded('nginxConnections'),
    queueMessages: bounded('queueMessages'),
    timeoutMs: bounded('timeoutMs'),
    expectStatus: z
      .union([statuses, sized(z.array(statuses), 1, 50)], must(STATUS_FORM))
      .exactOptional(),
    expectBody: label().exactOptional(),
  },
  must('an object'),
);
