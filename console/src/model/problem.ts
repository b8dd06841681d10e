import type { Finding } from '../../../src/client/index.js';
import { toolFindingsOf } from './read.js';
import type { LogEvent } from './types.js';

/** What is only worth knowing is no failure. */
const isFailure = ({ severity }: Finding): boolean => severity !== 'info';

/** Whether an event reports a problem. */
export function isProblem(event: LogEvent): boolean {
  switch (event.name) {
    case 'system.error':
    case 'system.warning':
    case 'lifecycle.failed':
      return true;
    case 'llm.tool_result': {
      const { status } = toolFindingsOf(event.data.result);
      return event.data.status !== 'ok' || status === 'failed' || status === 'degraded';
    }
    case 'dispatch.report':
      return event.data.status !== 'ok' || event.data.findings.some(isFailure);
    default:
      return false;
  }
}

/** How an event is coloured. */
export type Tone = 'crit' | 'warn' | 'ok' | 'tool' | 'accent' | 'model' | 'plain';

export function toneOf(event: LogEvent): Tone {
  switch (event.name) {
    case 'system.error':
    case 'lifecycle.failed':
      return 'crit';
    case 'system.warning':
    case 'system.approval':
      return 'warn';
    case 'llm.tool_call':
      return 'tool';
    case 'llm.tool_result': {
      const { status } = toolFindingsOf(event.data.result);
      if (event.data.status !== 'ok' || status === 'degraded') return 'warn';
      return status === 'failed' ? 'crit' : 'tool';
    }
    case 'dispatch.report':
      if (event.data.findings.some((finding) => finding.severity === 'critical')) return 'crit';
      return event.data.status !== 'ok' || event.data.findings.some(isFailure) ? 'warn' : 'ok';
    case 'dispatch.team':
    case 'dispatch.worker':
      return 'accent';
    case 'llm.stream':
    case 'llm.reasoning':
    case 'llm.usage':
      return 'model';
    default:
      return 'plain';
  }
}
