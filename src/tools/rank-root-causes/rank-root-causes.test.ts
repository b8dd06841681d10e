import { expect, it } from '@jest/globals';
import { anyEgress } from '../../../test/support/any-egress.js';
import { contextOf, nodeOf } from '../../../test/support/loopback.js';
import { SourceError } from '../../sources/http/source-error.js';
import { liveSources } from '../../sources/live/live-sources.js';
import { ChangeSource, LogSource, MetricSource, RecordingSource } from '../../sources/ports.js';
import { UnreadNodesError } from '../../sources/unread-nodes.js';
import { rankRootCauses } from './rank-root-causes.js';

const refused = new SourceError('refused', 'the server answers 401');
const down = new SourceError('unreachable', 'connection refused');

class UnreadMetrics extends MetricSource {
  series(): never {
    throw new UnreadNodesError(
      new Map([
        ['shop', refused],
        ['cart', down],
        ['mail', refused],
      ]),
    );
  }
}
class SilentLogs extends LogSource {
  records(): never {
    throw new Error('not read within 120 s');
  }
  patterns(): never {
    throw new Error('not read within 120 s');
  }
}
class OneChange extends ChangeSource {
  changes() {
    const records = (async function* () {
      yield await Promise.resolve({ kind: 'deploy' as const, at: 1, node: 'shop' });
    })();
    return { kind: 'records' as const, coverage: 'complete' as const, records };
  }
}

it('names the nodes with unread telemetry, and why', async () => {
  const live = liveSources({ nodes: [] }, [], {
    egress: anyEgress,
    secretOf: () => undefined,
    now: 10,
  });
  const sources = {
    ...live,
    metrics: new UnreadMetrics(),
    logs: new SilentLogs(),
    changes: new OneChange(),
  };
  const node = nodeOf('service');
  const { measurements } = await rankRootCauses.run(
    { node: node.id },
    { ...contextOf(node), sources },
  );
  expect(measurements['gaps']).toEqual([
    { telemetry: 'logs', reason: 'not read within 120 s', forbidden: false },
    {
      telemetry: 'metrics',
      reason: 'the server answers 401',
      forbidden: true,
      nodes: ['shop', 'mail'],
    },
    {
      telemetry: 'metrics',
      reason: 'connection refused',
      forbidden: false,
      nodes: ['cart'],
    },
  ]);
});

it('names the nodes also if no source of any could be read', async () => {
  const live = liveSources({ nodes: [] }, [], {
    egress: anyEgress,
    secretOf: () => undefined,
    now: 10,
  });
  const node = nodeOf('service');
  const { summary, measurements } = await rankRootCauses.run(
    { node: node.id },
    { ...contextOf(node), sources: { ...live, metrics: new UnreadMetrics() } },
  );
  expect(summary).toBe(
    'no telemetry could be read: shop: the server answers 401, and 2 more nodes',
  );
  expect(measurements['gaps']).toMatchObject([
    { nodes: ['shop', 'mail'], forbidden: true },
    { nodes: ['cart'], forbidden: false },
  ]);
});

class Outputs extends RecordingSource {
  answers() {
    const outputs = {
      payments: 'Last State: Terminated, Reason: OOMKilled, exit code 137',
      stock: 'warning: failed to load the optional cache plugin, continuing with defaults',
    };
    const records = (async function* () {
      for (const [node, output] of Object.entries(outputs)) {
        const args = { pod_name: node };
        yield await Promise.resolve({ tool: 'pod_logs', args, output, status: 'ok' });
      }
    })();
    return { kind: 'records' as const, coverage: 'complete' as const, records };
  }
}

it('sums up without a confidence, which what is measured later changes', async () => {
  const nodes = ['payments', 'stock'].map((id) => ({ ...nodeOf('workload'), id, name: id }));
  const live = liveSources({ nodes }, [], {
    egress: anyEgress,
    secretOf: () => undefined,
    now: 10,
  });
  const context = contextOf(nodeOf('workload'), { nodes });
  const { summary } = await rankRootCauses.run(
    { node: 'payments' },
    { ...context, sources: { ...live, recordings: new Outputs() } },
  );
  expect(summary).toBe(
    'most suspect: payments (out-of-memory): pod payments: Last State: Terminated, Reason: OOMKilled, exit code 137; then stock',
  );
});

it('ranks by the message that the run was started with, not by words of the call', async () => {
  const nodes = ['payments', 'stock'].map((id) => ({ ...nodeOf('workload'), id, name: id }));
  const live = liveSources({ nodes }, [], {
    egress: anyEgress,
    secretOf: () => undefined,
    now: 10,
  });
  const sources = { ...live, recordings: new Outputs() };
  const question = 'warning failed to load the optional cache plugin continuing with defaults';
  const rank = async (problem: string, args: object = {}) => {
    const context = { ...contextOf(nodeOf('workload'), { nodes, problem }), sources };
    const given = rankRootCauses.args.parse({ node: 'payments', ...args });
    const { measurements } = await rankRootCauses.run(given, context);
    return measurements['causes'];
  };
  const honest = await rank('');
  expect(honest).toMatchObject([{ node: 'payments' }, { node: 'stock' }]);
  expect(await rank('', { question })).toEqual(honest);
  expect(await rank(question)).not.toEqual(honest);
});

it('says what of a recording was damaged, and which telemetry is missing for that', async () => {
  const node = nodeOf('workload');
  const live = liveSources({ nodes: [node] }, [], {
    egress: anyEgress,
    secretOf: () => undefined,
    now: 10,
  });
  const damaged = { telemetry: 'logs' as const, file: 'logs/a.ndjson', lines: 2, first: 11 };
  const leftOut = () => [
    { ...damaged, isWhole: false },
    { ...damaged, file: 'logs/b.ndjson', lines: 1, first: 1, isWhole: true },
  ];
  const sources = { ...live, changes: new OneChange(), isRecorded: true as const, leftOut };
  const { summary, measurements } = await rankRootCauses.run(
    { node: node.id },
    { ...contextOf(node), sources },
  );
  const lines = [
    'logs/a.ndjson: 2 damaged lines were left out, the first is line 11',
    'logs/b.ndjson: 1 damaged line was left out, the first is line 1; nothing of the file could be used',
  ];
  expect(measurements['left_out']).toEqual(lines);
  expect(measurements['gaps']).toEqual([{ telemetry: 'logs', reason: lines[1], forbidden: false }]);
  expect(summary).toBe(`nothing is out of the ordinary; ${lines.join('; ')}`);
});
