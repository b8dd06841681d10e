import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { isSecretReference, readSecret } from '../../config/secrets.js';
import { ConsiliumError } from '../../domain/errors.js';

const reference = z
  .string()
  .refine(
    isSecretReference,
    'must be a reference, ${env:NAME} or ${file:/PATH}, and no credential',
  );

const serverSchema = z.strictObject({
  id: z.string().min(1).max(200),
  kind: z.literal('prometheus'),
  endpoint: z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/, 'must be a URL without credentials'),
  auth: z
    .union([
      z.strictObject({ bearer: reference }),
      z.strictObject({ user: z.string().min(1).max(200), password: reference }),
    ])
    .optional(),
});
const fileSchema = z.strictObject({ sources: z.array(serverSchema).max(100) });

/** A server of SOURCES_FILE. It holds references to credentials, and no credential. */
export type ListedServer = z.infer<typeof serverSchema>;

/**
 * The servers that the operator lists; none without a file.
 * @throws ConsiliumError VALIDATION_FAILED
 */
export async function readSourcesFile(path: string | undefined): Promise<ListedServer[]> {
  if (path === undefined) return [];
  const text = await readFile(path, 'utf8').catch(() => '');
  const parsed = fileSchema.safeParse(parse(text));
  if (parsed.success) return parsed.data.sources;
  const faults = parsed.error.issues.map((issue) => ({
    path: issue.path.join('.'),
    message: issue.message,
  }));
  throw new ConsiliumError('VALIDATION_FAILED', 'SOURCES_FILE is missing or has faults.', {
    faults,
  });
}

/** Reads the header `Authorization` for a server, where it has credentials. */
export function authorizationOf(
  { auth }: ListedServer,
  secretOf: Config['secretOf'],
): (() => Promise<string>) | undefined {
  if (auth === undefined) return undefined;
  return async () => {
    if ('bearer' in auth) return `Bearer ${await readSecret(auth.bearer, secretOf)}`;
    const pair = `${auth.user}:${await readSecret(auth.password, secretOf)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  };
}
