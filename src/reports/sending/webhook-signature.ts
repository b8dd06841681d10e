import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/**
 * The headers of Standard Webhooks: a receiver can verify with any of its libraries that the
 * message is from here and new.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @param id of the message, the same at each attempt
 * @param secrets base64, with or without `whsec_`; several while one is exchanged for another
 * @param seconds since the epoch
 */
export function signatureHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  seconds: number,
): Record<string, string> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(PREFIX, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
