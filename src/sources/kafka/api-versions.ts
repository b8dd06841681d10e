import { SourceError } from '../http/source-error.js';
import type { KafkaReader } from './wire.js';

/**
 * The requests of this client, none of which writes, with the versions that it reads:
 * https://kafka.apache.org/protocol. All have the older form, which brokers from 0.11 to 4.x
 * support.
 */
export const API = {
  listOffsets: { key: 2, least: 1, most: 2 },
  metadata: { key: 3, least: 1, most: 5 },
  offsetFetch: { key: 9, least: 2, most: 4 },
  describeGroups: { key: 15, least: 0, most: 2 },
  listGroups: { key: 16, least: 0, most: 2 },
  saslHandshake: { key: 17, least: 1, most: 1 },
  apiVersions: { key: 18, least: 0, most: 0 },
  saslAuthenticate: { key: 36, least: 0, most: 0 },
} as const satisfies Record<string, { key: number; least: number; most: number }>;
export type ApiName = keyof typeof API;

/** The minimum and maximum version that a broker supports, by the key of the request. */
export type ApiVersions = ReadonlyMap<number, readonly [least: number, most: number]>;

/** Reads the answer to ApiVersions. */
export function apiVersions(answer: KafkaReader): ApiVersions {
  const error = answer.int16();
  const entries = answer.list(() => ({
    key: answer.int16(),
    range: [answer.int16(), answer.int16()] as const,
  }));
  if (error !== 0) throw new SourceError('failed', `a broker does not say its versions (${error})`);
  return new Map(entries.map(({ key, range }) => [key, range]));
}

/** The newest common version; undefined if there is none. */
export function versionOf(api: ApiName, versions: ApiVersions): number | undefined {
  const { key, least, most } = API[api];
  const [from, to] = versions.get(key) ?? [1, 0];
  const newest = Math.min(most, to);
  return newest >= Math.max(least, from) ? newest : undefined;
}
