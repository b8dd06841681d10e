import { z } from 'zod';
import type { Issue, ToolResult } from '../../domain/diagnosis/tool-result.js';
import type { TopologyNode } from '../../domain/topology/topology.js';
import { SourceError } from '../../sources/http/source-error.js';
import { nodeArgument } from '../arguments.js';
import { numberAttribute, slowMsOf, timeoutMsOf } from '../attributes.js';
import { hostPortOf, showHostPort, urlOf } from '../net/endpoint.js';
import { faultIssue } from '../net/network-error.js';
import { judgeRedis } from './redis-judgement.js';
import { showsMemory } from './redis-memory.js';
import { codeOfRefusal, refusalIssue } from './redis-refusal.js';
import { readRedis, type RedisReading } from './redis-read.js';
import { showBytes, toolResult } from '../result.js';
import type { Tool, ToolContext } from '../tool.js';

const args = z.strictObject({ node: nodeArgument });
type Args = z.infer<typeof args>;

/**
 * Attributes: `memoryPercent`, `slowMs` (PING and slow log), `timeoutMs`, and for `rediss://`
 * `trustSelfSigned`, `ca`, `serverName`. A server that wants a password of which the endpoint has
 * none is a `SourceError` `refused`: the node is unchecked.
 */
export const redisInspect: Tool<Args> = {
  name: 'redis_inspect',
  access: 'read',
  measures: () => 'service',
  repeatable: true,
  holds: 8 * 2 ** 20,
  args,
  // A URL must have a Redis scheme; `host:port` alone is accepted, too.
  appliesTo: (node) =>
    node.kind === 'redis' &&
    hostPortOf(node) !== undefined &&
    /^(rediss?:\/\/|(?!.*:\/\/))/i.test(node.endpoint ?? ''),
  argsFor: (node) => ({ node: node.id }),
  run,
};

async function run(_args: Args, context: ToolContext): Promise<ToolResult> {
  const { node } = context;
  const target = hostPortOf(node);
  if (!target || !redisInspect.appliesTo(node))
    throw new Error(
      `redis_inspect needs a node of kind redis with an endpoint redis://host:port; ${node.id} has none`,
    );
  const thresholds = {
    memoryPercent: numberAttribute(node, 'memoryPercent', 90, [1, 100]),
    slowMs: slowMsOf(node),
  };
  const where = showHostPort(target);
  const visit = await readRedis(target, context, timeoutMsOf(node));
  const { reading, certificate, fault, refusal } = visit;

  const issues: Issue[] = [...(certificate?.issues ?? [])];
  const measured = { target: where, ...(certificate && { certificate: certificate.measurements }) };
  if (fault) {
    issues.push(faultIssue(fault, `a Redis at ${where}`));
    return toolResult(`${where}: ${fault.text}`, { ...measured, error: fault.text }, issues);
  }
  if (refusal !== undefined) {
    // A missing credential of the diagnosis is no fault of the server; one of its certificate is.
    if (issues.length === 0 && lacksCredential(node, refusal))
      throw new SourceError('refused', `${where} ${WANTS_PASSWORD}`);
    const issue = refusalIssue(refusal);
    return toolResult(`${where}: ${issue.title}`, { ...measured, error: refusal }, [
      ...issues,
      issue,
    ]);
  }
  if (!reading) {
    const summary = `${where}: ${issues[0]?.title}; no password sent, nothing read`;
    return { ...toolResult(summary, measured, issues), partial: true };
  }

  const { measurements, issues: found, judged } = judgeRedis(reading, thresholds);
  issues.push(...found);
  const isRead = showsMemory(reading);
  if (!isRead) issues.push(notRead(reading));
  const { used_memory_bytes: used, memory_percent: percent, ping_ms: ping } = measurements;
  const memory =
    typeof used === 'number'
      ? `${showBytes(used)}${typeof percent === 'number' ? `, ${percent} % of maxmemory` : ', no maxmemory'}`
      : 'memory unknown';
  const first = issues.find(({ severity }) => severity === 'critical') ?? issues[0];
  const result = toolResult(
    first
      ? `${where}: ${first.title}`
      : `${where} answers in ${typeof ping === 'number' ? ping : '?'} ms, ${memory}`,
    { ...measured, ...measurements },
    issues,
    judged,
  );
  return isRead ? result : { ...result, partial: true };
}

/** INFO was refused, or its answer lacks the fields of a Redis. */
function notRead({ info, infoRefusal: said }: RedisReading): Issue {
  const isDenied = said !== undefined && codeOfRefusal(said) === 'NOPERM';
  const answered = info.size === 0 ? 'is empty' : 'has no plausible memory';
  const why = said === undefined ? `its answer to INFO ${answered}` : 'it refuses INFO';
  return {
    severity: 'info',
    symptom: 'advisory',
    ...(isDenied && { kind: 'auth' as const }),
    title: isDenied ? 'may not be looked into' : 'does not show its state',
    detail: `It answers PING, but ${why}; expected to read its state.${said === undefined ? '' : ` It said: "${said}".`}`,
  };
}

/** Without a scheme before it, since redaction would hide the reference. */
const WANTS_PASSWORD =
  'wants a password, and its endpoint in the topology has none. Write :${env:NAME}@ before the host (the user of an ACL before the colon), and set NAME to the password and SECRETS_ALLOW to env:NAME in the environment of the service.';

function lacksCredential(node: TopologyNode, refusal: string): boolean {
  const url = urlOf(node, 'redis:', 'rediss:');
  const hasPassword = url !== undefined && url.password !== '';
  return ['NOAUTH', 'WRONGPASS'].includes(codeOfRefusal(refusal) ?? '') && !hasPassword;
}
