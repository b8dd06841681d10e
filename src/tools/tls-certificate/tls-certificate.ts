import { z } from 'zod';
import type { ToolResult } from '../../domain/diagnosis/tool-result.js';
import { nodeArgument } from '../arguments.js';
import { numberAttribute, timeoutMsOf, type TrustOptions, trustOptionsOf } from '../attributes.js';
import { type CertificateFacts, readCertificate, SELF_SIGNED_EXPIRED } from '../net/certificate.js';
import { connectTcp, secure, withPlace } from '../net/connect.js';
import { type HostPort, hostPortOf, showHostPort, urlOf } from '../net/endpoint.js';
import {
  classify,
  faultIssue,
  type NetworkFault,
  type ConnectionPhase,
} from '../net/network-error.js';
import { orWrongAddress } from '../net/spoken-protocol.js';
import { atLeast, toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';
import { within } from '../net/within.js';

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/** Attributes: `certificateDays`, `trustSelfSigned`, `ca`, `serverName`, `timeoutMs`. */
export const tlsCertificate: Tool<Args> = {
  name: 'tls_certificate',
  access: 'read',
  measures: (node) => (node.kind === 'tls' ? 'service' : 'transport'),
  repeatable: true,
  args,
  appliesTo: (node) =>
    (node.kind === 'tls' || urlOf(node, 'https:', 'rediss:') !== undefined) &&
    hostPortOf(node) !== undefined,
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node } = context;
  const target = hostPortOf(node);
  if (!target)
    throw new Error(
      `tls_certificate needs a node with an endpoint host:port or https://; ${node.id} has none`,
    );
  const leastDays = numberAttribute(node, 'certificateDays', 21);
  const trust = trustOptionsOf(node);
  const seen = await withPlace(context, target, () =>
    handshake(target, trust, context, timeoutMsOf(node)),
  );
  const where = showHostPort(target);
  if (!('daysLeft' in seen)) {
    const fault = await orWrongAddress(seen, 'a TLS server', target, context);
    const issue = faultIssue(fault, `a TLS handshake with ${where}`);
    return toolResult(`${where}: ${fault.text}`, { target: where, error: fault.text }, [issue]);
  }

  const { subject, named, isSelfSigned, daysLeft } = seen;
  const issues = [...seen.issues];
  const inDate = daysLeft !== null && daysLeft >= 0;
  if (inDate && daysLeft < leastDays) {
    const detail = `${daysText(daysLeft)} left; expected at least ${leastDays}. Renew it before it ends.`;
    issues.push({
      severity: 'warning',
      symptom: 'advisory',
      kind: 'certificate-expired',
      ...(isSelfSigned && { steps: SELF_SIGNED_EXPIRED }),
      title: `${named} ends in ${daysText(daysLeft)}`,
      detail,
    });
  }
  const summary = issues[0]
    ? `${where}: ${issues[0].title}`
    : `${where}: certificate of ${subject} is valid for ${daysLeft} more ${daysLeft === 1 ? 'day' : 'days'}`;
  return toolResult(
    summary,
    { target: where, certificate: seen.measurements },
    issues,
    inDate ? atLeast('days_left', daysLeft, leastDays) : [],
  );
}

const daysText = (days: number): string =>
  days === 0 ? 'less than a day' : `${days} ${days === 1 ? 'day' : 'days'}`;

/** @throws the signal's reason */
async function handshake(
  target: HostPort,
  trust: TrustOptions,
  { node, signal, policy }: Pick<ToolContext, 'node' | 'signal' | 'policy'>,
  timeoutMs: number,
): Promise<CertificateFacts | NetworkFault> {
  let phase: ConnectionPhase = 'connect';
  try {
    return await within(signal, timeoutMs, async (own) => {
      const socket = await connectTcp(target, policy.egress, own);
      phase = 'tls';
      const tls = await secure(socket, target.host, trust);
      return readCertificate(tls, { host: target.host, trust, node, now: Date.now() });
    });
  } catch (error) {
    signal.throwIfAborted();
    return classify(error, phase);
  }
}
