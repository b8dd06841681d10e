import type { NamedEvent } from '../../../src/client/index.js';
import type { RunDetail } from '../api/types.js';
import { pushEvent } from './fold/fold-event.js';
import { RunModel } from './run-model.js';

/**
 * The model of a run of which only the report is left: how it began and how it ended, and no event
 * between.
 */
export function reportModel(run: RunDetail): RunModel {
  const model = new RunModel();
  const { runId: run_id, createdAt, endedAt } = run;
  const common = { run_id, source: null };
  pushEvent(model, {
    ...common,
    sequence: 1,
    timestamp: createdAt,
    name: 'lifecycle.started',
    event: { category: 'lifecycle', action: 'started' },
    data: {
      kind: run.kind,
      user_message: run.userMessage,
      ...(run.topologyId !== null && {
        topology_id: run.topologyId,
        topology_name: run.topologyName ?? '',
      }),
    },
  } as NamedEvent);
  const [action, data] = endOf(run);
  pushEvent(model, {
    ...common,
    sequence: 2,
    timestamp: endedAt ?? createdAt,
    name: `lifecycle.${action}`,
    event: { category: 'lifecycle', action },
    data,
  } as NamedEvent);
  return model;
}

function endOf({ status, error, summary, report, partial, reasons }: RunDetail): [string, object] {
  if (status === 'failed')
    return [
      'failed',
      { error: error?.message ?? '', code: error?.code ?? '', retryable: false, report },
    ];
  if (status === 'cancelled') return ['cancelled', { reason: summary ?? '', report }];
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  return ['completed', { summary: summary ?? '', report, partial, reasons, usage }];
}
