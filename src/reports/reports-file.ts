import { z } from 'zod';
import { readSettingsFile } from '../config/settings-file.js';
import { isSecretReference, type NeededSecret } from '../config/secrets.js';
import { VERDICTS } from '../domain/diagnosis/finding.js';
import { DEFAULT_TENANT, isTenant } from '../domain/tenant.js';

const reference = z
  .string()
  .refine(
    isSecretReference,
    'must be a reference, ${env:NAME} or ${file:/PATH}, and no credential',
  );
const address = z
  .string()
  .max(2_000)
  .refine(
    (text) => isSecretReference(text) || /^https?:\/\/[^\s/?#@]+(?:\/[^\s#]*)?$/.test(text),
    'must be a URL without credentials, or a reference to one, ${env:NAME} or ${file:/PATH}',
  );

const outcomes = z.enum([...VERDICTS, 'failed', 'cancelled']);
export const DESTINATION_KINDS = ['webhook', 'slack', 'chat', 'alertmanager'] as const;

const destinationSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, 'must be 1 to 50 of a-z 0-9 _ -'),
    kind: z.enum(DESTINATION_KINDS),
    url: address,
    /** Of a webhook: the secrets of Standard Webhooks, `whsec_…`. */
    secrets: z.array(reference).min(1).max(5).optional(),
    /** Reports of these outcomes; absent: of all but `healthy`. */
    on: z.array(outcomes).min(1).optional(),
    /** Reports of these topologies; absent: of all. */
    topologies: z.array(z.int().positive()).min(1).max(1_000).optional(),
    tenant: z.string().refine(isTenant, 'must be the name of a tenant').default(DEFAULT_TENANT),
  })
  .refine(({ kind, secrets }) => kind !== 'webhook' || secrets !== undefined, {
    path: ['secrets'],
    message: 'must name the secret that signs the webhooks',
  });

/** Pauses before each further attempt, in s: 16 hours in all. */
const RETRY_SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000];

const fileSchema = z.strictObject({
  publicUrl: z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, 'must be a URL without credentials')
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  timeoutSeconds: z.number().positive().max(60).default(15),
  retrySeconds: z.array(z.number().min(0).max(86_400)).max(20).default(RETRY_SECONDS),
  destinations: z
    .array(destinationSchema)
    .max(100)
    .default([])
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'must have unique ids'),
});

/** Where reports go. It holds references to secrets, and no secret. */
export type Destination = z.infer<typeof destinationSchema>;
/** REPORTS_FILE. */
export type ReportsFile = z.infer<typeof fileSchema>;

/**
 * Reads REPORTS_FILE; without one, nothing is reported.
 * @throws ConsiliumError VALIDATION_FAILED with every fault and its line
 */
export const readReportsFile = (path: string | undefined): ReportsFile =>
  readSettingsFile('REPORTS_FILE', path, fileSchema);

/** The credentials of all destinations. */
export const secretsOfReports = ({ destinations }: ReportsFile): NeededSecret[] =>
  destinations.flatMap(({ id, url, secrets = [] }) =>
    [url, ...secrets].filter(isSecretReference).map((reference) => ({ by: id, reference })),
  );
