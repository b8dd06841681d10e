import { uncheckedText } from '../../../../src/domain/diagnosis/wording.js';
import type { RunModel } from '../run-model.js';
import { causesAt, findingsAt } from '../view/findings-at.js';
import { groundsAt } from '../view/grounds-at.js';
import { chainAt } from '../view/path-at.js';

/** A report as plain texts, for files that stand alone. */
export interface ReportParts {
  title: string;
  facts: [string, string][];
  causes: {
    title: string;
    confidence: string;
    chain: string[];
    evidence: string[];
    grounds: string[];
  }[];
  findings: { severity: string; node: string; title: string; detail: string; evidence: string[] }[];
  unchecked: { node: string; reason: string }[];
  nextSteps: string[];
}

export function reportParts(model: RunModel): ReportParts {
  const { terminal, report, started, last } = model;
  const seconds = ((model.endTime - model.startTime) / 1_000).toFixed(1);
  const evidence = (seqs: number[]): string[] =>
    seqs.map((seq) => {
      const event = model.at(seq);
      return `#${seq}${event?.name === 'llm.tool_result' ? ` ${event.data.tool}` : ''}`;
    });
  const causes = causesAt(model, last);
  const summary = terminal?.name === 'lifecycle.completed' ? terminal.data.summary : undefined;
  return {
    title: report?.headline ?? causes[0]?.title ?? summary ?? 'Diagnosis',
    facts: [
      ['Verdict', report?.verdict ?? terminal?.event.action ?? 'running'],
      // Older logs have none.
      ...(report?.impact ? [['Impact', report.impact] satisfies [string, string]] : []),
      ['Topology', started?.topology_name ?? '–'],
      ['Asked', started?.user_message ?? ''],
      ['Started', model.at(1)?.timestamp ?? ''],
      ['Took', `${seconds} s, ${last} events`],
      ['Run', model.at(1)?.run_id ?? ''],
    ],
    causes: causes.map((cause) => ({
      title: cause.title,
      confidence: `${Math.round(cause.confidence * 100)} %`,
      chain: chainAt(model, cause.node, last).map((id) => model.nameOf(id)),
      evidence: evidence(cause.evidence),
      grounds: groundsAt(model, cause, last).map(({ speaks, text }) =>
        speaks === 'against' ? `Against: ${text}` : text,
      ),
    })),
    findings: findingsAt(model, last).map(({ severity, node, title, detail, evidence: seqs }) => ({
      severity,
      node: model.nameOf(node),
      title,
      detail,
      evidence: evidence(seqs),
    })),
    unchecked: (report?.unchecked ?? []).map((each) => ({
      node: model.nameOf(each.node),
      reason: uncheckedText(each),
    })),
    nextSteps: (report?.next_steps ?? []).map(({ text, command }) =>
      command ? `${text}: ${command}` : text,
    ),
  };
}
