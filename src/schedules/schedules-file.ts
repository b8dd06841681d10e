import { CronExpressionParser } from 'cron-parser';
import { z } from 'zod';
import { readSettingsFile } from '../config/settings-file.js';
import { DEFAULT_TENANT, isTenant } from '../domain/tenant.js';

/** Whether a text is a cron expression of five fields, or of six with seconds first. */
function isCron(text: string): boolean {
  if (!/^\S+( \S+){4,5}$/.test(text)) return false;
  try {
    CronExpressionParser.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

const names = z.array(z.string().max(200)).min(1).max(1_000).optional();

const scheduleSchema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, 'must be 1 to 50 of a-z 0-9 _ -'),
  cron: z
    .string()
    .max(200)
    .refine(isCron, 'must be a cron expression: minute hour day month weekday'),
  timezone: z.string().refine(isTimezone, 'must be a time zone as Europe/Berlin').default('UTC'),
  topology: z.int().positive(),
  tenant: z.string().refine(isTenant, 'must be the name of a tenant').default(DEFAULT_TENANT),
  message: z.string().min(1).max(10_000).default('A scheduled diagnosis: is anything wrong?'),
  nodes: names,
  teams: names,
});

const fileSchema = z.strictObject({
  schedules: z
    .array(scheduleSchema)
    .max(1_000)
    .default([])
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'must have unique ids'),
});

/** When a topology is diagnosed automatically. */
export type Schedule = z.infer<typeof scheduleSchema>;
/** SCHEDULES_FILE. */
export type SchedulesFile = z.infer<typeof fileSchema>;

/**
 * Reads SCHEDULES_FILE; without one, nothing is scheduled.
 * @throws ConsiliumError VALIDATION_FAILED with every fault and its line
 */
export const readSchedulesFile = (path: string | undefined): SchedulesFile =>
  readSettingsFile('SCHEDULES_FILE', path, fileSchema);
