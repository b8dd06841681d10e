import type { ToolResult } from '../../../src/domain/diagnosis/tool-result.js';
import { liveSources } from '../../../src/sources/live/live-sources.js';
import type { ListedKafka } from '../../../src/sources/live/sources-file.js';
import { kafkaInspect } from '../../../src/tools/kafka-inspect/kafka-inspect.js';
import { anyEgress } from '../any-egress.js';
import { expectSound } from '../streams/expect-sound.js';
import { contextOf, nodeOf, testCa } from '../loopback.js';

export const KAFKA_PASSWORD = 'correct-horse-battery';
const SECRETS: Record<string, string> = { PASSWORD: KAFKA_PASSWORD, CA: testCa() };
const timeoutMs = 2_000;

interface Looking extends Partial<Omit<ListedKafka, 'id' | 'kind' | 'endpoint'>> {
  selector?: string;
  attributes?: Parameters<typeof nodeOf>[2];
}

/** Looks at a node that selects from a listed Kafka. */
export async function lookByKafkaSource(
  ports: readonly number[],
  { selector = '*', attributes = {}, ...listed }: Looking = {},
): Promise<ToolResult> {
  const node = {
    ...nodeOf('kafka', undefined, { timeoutMs, ...attributes }),
    in: { mq: selector },
  };
  const brokers = ports.map((port) => `127.0.0.1:${port}`).join(',');
  const sources = liveSources(
    { nodes: [node], sources: [{ id: 'mq', kind: 'kafka', provides: [] }] },
    [{ id: 'mq', kind: 'kafka', endpoint: `kafka://${brokers}`, ...listed }],
    { egress: anyEgress, secretOf: (name) => SECRETS[name], now: Date.now() },
  );
  return expectSound(await kafkaInspect.run({ node: 'target' }, { ...contextOf(node), sources }));
}

/** Looks at a node with an endpoint, and no source. */
export const lookAtKafka = async (endpoint: string): Promise<ToolResult> =>
  expectSound(
    await kafkaInspect.run({ node: 'target' }, contextOf(nodeOf('kafka', endpoint, { timeoutMs }))),
  );

/** The issues of a look, each as `severity: title`. */
export const issueTitles = ({ issues }: { issues: { severity: string; title: string }[] }) =>
  issues.map(({ severity, title }) => `${severity}: ${title}`);
