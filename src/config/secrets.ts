import { readFile } from 'node:fs/promises';
import { rememberSecret } from './known-secrets.js';

const REFERENCE = /^\$\{(?:env:([A-Z_][A-Z0-9_]{0,199})|file:(\/[^\0}]{1,1000}))\}$/;

/**
 * Whether a text refers to a credential, as `${env:NAME}` or `${file:/PATH}`, and does not hold
 * one.
 */
export const isSecretReference = (text: string): boolean => REFERENCE.test(text);

/** A credential that something needs. */
export interface NeededSecret {
  /** What needs it. */
  by: string;
  reference: string;
}

/** Names the credentials that cannot be read, and what needs each. */
export async function missingSecrets(
  needed: readonly NeededSecret[],
  secretOf: (name: string) => string | undefined,
): Promise<string[]> {
  const missing: string[] = [];
  for (const { by, reference } of needed)
    await readSecret(reference, secretOf).catch((error: unknown) =>
      missing.push(`${by}: ${(error as Error).message}`),
    );
  return missing;
}

/**
 * The credential of a reference in an operator's file. Read at each use, so that a rotated one is
 * used, and never stored.
 * @throws if the variable is not set or the file cannot be read; the message names the reference,
 *   not the value
 */
export async function readSecret(
  reference: string,
  secretOf: (name: string) => string | undefined,
): Promise<string> {
  const [, name, path] = REFERENCE.exec(reference) ?? [];
  const value =
    name !== undefined
      ? secretOf(name)
      : path !== undefined
        ? await readFile(path, 'utf8').catch(() => undefined)
        : undefined;
  const trimmed = value?.trim() ?? '';
  if (trimmed === '') throw new Error(`the credential ${reference} is missing or empty`);
  rememberSecret(trimmed);
  return trimmed;
}
