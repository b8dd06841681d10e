import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { unreadable } from '../../lib/unreadable.js';

const truthSchema = z.object({
  id: z.string(),
  set: z.string().default('all'),
  healthy: z.boolean().default(false),
  rootCauses: z.array(z.object({ node: z.string(), kind: z.string().optional() })).default([]),
  /** `none`: no change is to blame; absent: not scored. */
  change: z.string().optional(),
  decoys: z.object({ changes: z.array(z.string()).default([]) }).optional(),
  /** Regular expressions that the report's text must match. */
  text: z.array(z.string()).optional(),
});
/** The truth about an incident: stored beside the bundles, where no diagnosis reads it. */
export type Truth = z.infer<typeof truthSchema>;

/**
 * Reads the truth files of a folder, by incident.
 * @throws if one does not have the format
 */
export async function readTruths(folder: string): Promise<Map<string, Truth>> {
  const all = await readdir(folder).catch((cause: unknown) => {
    throw new Error(unreadable(folder, cause), { cause });
  });
  const names = all.filter((name) => name.endsWith('.yaml')).sort();
  const truths = await Promise.all(
    names.map(async (name) => truthSchema.parse(parse(await readFile(join(folder, name), 'utf8')))),
  );
  return new Map(truths.map((truth) => [truth.id, truth]));
}
