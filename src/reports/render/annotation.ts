import type { DiagnosisOutcome } from '../diagnosis-outcome.js';
import type { OutcomeText } from './outcome-text.js';
import { renderPlain } from './plain.js';

const ANNOTATION_CHARACTERS = 4_000;
/** How long Alertmanager shows the diagnosis. */
const SHOWN_MS = 60 * 60_000;

/**
 * An alert of Alertmanager whose annotations are the diagnosis, so that it is shown where the
 * alerts are. An alert that Prometheus sends cannot be annotated: its next notification would
 * remove the annotation. https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml
 */
export const renderAnnotation = (
  { runId, topologyName, topologyId, verdict, endedAt, headline }: DiagnosisOutcome,
  text: OutcomeText,
): object[] => [
  {
    labels: {
      alertname: 'ConsiliumDiagnosis',
      severity: 'info',
      verdict,
      topology: topologyName,
      consilium_diagnosed: String(topologyId),
      run_id: runId,
    },
    annotations: {
      summary: headline.slice(0, 500),
      description: renderPlain(text, ANNOTATION_CHARACTERS),
      ...(text.url !== undefined && { runbook_url: text.url }),
    },
    startsAt: endedAt,
    endsAt: new Date(Date.parse(endedAt) + SHOWN_MS).toISOString(),
  },
];
