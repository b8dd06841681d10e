import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { SAFE_URL } from '../../config/variables.js';
import { ConsiliumError } from '../../domain/errors.js';
import { fetchBounded } from '../../lib/http/fetch-bounded.js';

const FETCH_MS = 5_000;
const COOLDOWN_MS = 30_000;
/** Maximum bytes of a discovery document or a set of keys: those of large providers have 20 kB. */
const MOST_BYTES = 512 * 1_024;
const RETRY_SECONDS = 5;

const metadata = z.object({ issuer: z.string(), jwks_uri: z.url().regex(SAFE_URL) });
const keySet = z.looseObject({ keys: z.array(z.looseObject({})) });

/**
 * Reads the published keys of an OpenID Connect provider, when a token needs them and at most every
 * 30 s. OpenID Connect Discovery 1.0, section 4.
 * @param timeoutMs of one request
 * @throws ConsiliumError UNAVAILABLE, also from the returned function: a failing provider does not
 *   show whether a token is valid
 */
export async function findProviderKeys(
  issuer: string,
  timeoutMs = FETCH_MS,
): Promise<JWTVerifyGetKey> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = await readJson(url, metadata, AbortSignal.timeout(timeoutMs));
  if (found.issuer !== issuer) throw unavailable(new Error(`${url} describes another issuer`));
  return createRemoteJWKSet(new URL(found.jwks_uri), {
    timeoutDuration: timeoutMs,
    cooldownDuration: COOLDOWN_MS,
    [customFetch]: async (address, { signal }) =>
      Response.json(await readJson(address, keySet, signal)),
  });
}

const unavailable = (cause: unknown): ConsiliumError =>
  new ConsiliumError('UNAVAILABLE', 'The identity provider does not answer as it should', {
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  });

/** GETs a JSON document of bounded size, without redirects. @throws ConsiliumError UNAVAILABLE */
async function readJson<Value>(
  url: string,
  schema: z.ZodType<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  try {
    const response = await fetchBounded(new URL(url), { signal });
    if (!response.ok || !response.body) throw new Error(`${url} answered ${response.status}`);
    let size = 0;
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > MOST_BYTES) throw new Error(`${url} sent more than ${MOST_BYTES} bytes`);
      chunks.push(chunk);
    }
    return schema.parse(JSON.parse(Buffer.concat(chunks).toString()));
  } catch (error) {
    throw unavailable(error);
  }
}
