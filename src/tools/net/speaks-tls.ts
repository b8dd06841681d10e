import type { TrustOptions } from '../attributes.js';
import type { ToolContext } from '../tool.js';
import { connectTcp, secure, withPlace } from './connect.js';
import type { HostPort } from './endpoint.js';
import { codeOf } from './network-error.js';
import { within } from './within.js';

const LOOK_MS = 1_000;

/**
 * Whether a server that gave no answer to a plain request uses TLS: a handshake ends well, or
 * with an alert of the server.
 * @throws the signal's reason; UnmeasuredError
 */
export async function speaksTls(
  target: HostPort,
  context: Pick<ToolContext, 'enter' | 'policy' | 'signal'>,
  trust: TrustOptions,
): Promise<boolean> {
  const { policy, signal } = context;
  return withPlace(context, target, async () => {
    try {
      await within(signal, LOOK_MS, async (own) =>
        secure(await connectTcp(target, policy.egress, own), target.host, trust),
      );
      return true;
    } catch (error) {
      signal.throwIfAborted();
      return codeOf(error).includes('_ALERT_');
    }
  });
}
