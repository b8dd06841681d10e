import { z } from 'zod';
import { isSecretReference, type NeededSecret } from '../config/secrets.js';
import { readSettingsFile } from '../config/settings-file.js';

const MINUTES_OF_A_DAY = 1_440;
/** A run waits so long at most; its time-out does not wait. */
const MOST_STORM_SECONDS = 300;

const reference = z
  .string()
  .refine(
    isSecretReference,
    'must be a reference, ${env:NAME} or ${file:/PATH}, and no credential',
  );
const references = z.array(reference).min(1).max(10);

const routeSchema = z.strictObject({
  match: z
    .record(z.string().min(1).max(200), z.string().max(1_000))
    .refine((match) => Object.keys(match).length > 0, 'must name at least one label'),
  topology: z.int().positive(),
  nodes: z.array(z.string().max(200)).max(1_000).optional(),
  teams: z.array(z.string().max(200)).max(1_000).optional(),
  cancelOnResolve: z.boolean().optional(),
});

const fileSchema = z.strictObject({
  secrets: z
    .strictObject({
      grafana: references.optional(),
      pagerduty: references.optional(),
      generic: references.optional(),
    })
    .default({}),
  stormSeconds: z.int().min(0).max(MOST_STORM_SECONDS).default(60),
  quietMinutes: z.int().min(0).max(MINUTES_OF_A_DAY).default(30),
  routes: z.array(routeSchema).max(1_000).default([]),
});

/** A rule: alerts whose labels fit start a run of a topology. */
export type AlertRoute = z.infer<typeof routeSchema>;
/** The content of ALERTS_FILE. It holds references to secrets, and no secret. */
export type AlertsFile = z.infer<typeof fileSchema>;

/**
 * Reads ALERTS_FILE; without one, alerts are routed by their label and by selectors of topologies.
 * @throws ConsiliumError VALIDATION_FAILED with every fault and its line
 */
export const readAlertsFile = (path: string | undefined): AlertsFile =>
  readSettingsFile('ALERTS_FILE', path, fileSchema);

/** The secrets that sign the deliveries of each sender. */
export const secretsOfAlerts = ({ secrets }: AlertsFile): NeededSecret[] =>
  Object.entries(secrets).flatMap(([by, references = []]) =>
    references.map((reference) => ({ by, reference })),
  );
