import { originNote, type NextStep } from '../../../../src/domain/diagnosis/finding.js';
import { uncheckedText } from '../../../../src/domain/diagnosis/wording.js';
import type { RunModel } from '../../model/run-model.js';
import { kindOfCause } from '../../model/view/cause-text.js';
import { causesAt, findingOf, findingsAt } from '../../model/view/findings-at.js';
import { groundsAt } from '../../model/view/grounds-at.js';
import { chainAt } from '../../model/view/path-at.js';
import { citedResults, type CitedResult } from './cited-results.js';
import { VERDICTS } from '../../model/verdicts.js';

/** What to do, with the name of the node and with notes, and its command as it is typed. */
export interface StepParts {
  text: string;
  notes: string[];
  command: string | undefined;
}

/** An event that a claim rests on. */
export interface Cite {
  seq: number;
  text: string;
}

/** A report as plain texts, for files that stand alone. */
export interface ReportParts {
  title: string;
  facts: [string, string][];
  causes: {
    title: string;
    /** Of its failure. */
    kind: string | undefined;
    confidence: string;
    /** What was measured at it. */
    detail: string;
    chain: string[];
    evidence: Cite[];
    grounds: string[];
  }[];
  findings: { severity: string; node: string; title: string; detail: string; evidence: Cite[] }[];
  unchecked: { node: string; reason: string }[];
  nextSteps: StepParts[];
  /** What the claims above rest on. */
  cited: CitedResult[];
}

export function reportParts(model: RunModel): ReportParts {
  const { terminal, report, started, last } = model;
  const seconds = ((model.endTime - model.startTime) / 1_000).toFixed(1);
  const evidence = (seqs: number[]): Cite[] =>
    seqs.map((seq) => {
      const event = model.at(seq);
      return {
        seq,
        text: `#${seq}${event?.name === 'llm.tool_result' ? ` ${event.data.tool}` : ''}`,
      };
    });
  const causes = causesAt(model, last);
  const findings = findingsAt(model, last);
  const summary = terminal?.name === 'lifecycle.completed' ? terminal.data.summary : undefined;
  return {
    title: report?.headline ?? causes[0]?.title ?? summary ?? 'Diagnosis',
    facts: [
      ['Verdict', verdictOf(model)],
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
      kind: kindOfCause(cause),
      confidence: `${Math.round(cause.confidence * 100)} %`,
      detail: findingOf(model, cause.node, last)?.detail ?? '',
      chain: chainAt(model, cause.node, last).map((id) => model.nameOf(id)),
      evidence: evidence(cause.evidence),
      grounds: groundsAt(model, cause, last).map(({ speaks, text }) =>
        speaks === 'against' ? `Against: ${text}` : text,
      ),
    })),
    findings: findings.map((finding) => ({
      severity: finding.severity,
      node: model.nameOf(finding.node),
      title: finding.title + originNote(finding),
      detail: finding.detail,
      evidence: evidence(finding.evidence),
    })),
    unchecked: (report?.unchecked ?? []).map((each) => ({
      node: model.nameOf(each.node),
      reason: uncheckedText(each),
    })),
    nextSteps: (report?.next_steps ?? []).map((step) => stepParts(model, step)),
    cited: citedResults(
      model,
      [...causes, ...findings].flatMap((claim) => claim.evidence),
    ),
  };
}

function verdictOf({ report, terminal }: RunModel): string {
  if (report) return VERDICTS[report.verdict] ?? report.verdict;
  return terminal?.event.action ?? 'running';
}

function stepParts(model: RunModel, step: NextStep): StepParts {
  const { text, node, access, command, origin } = step;
  const name = node === undefined ? '' : model.nameOf(node);
  const notes = [
    access === 'change' && 'changes something',
    origin === 'agent' && 'proposed by a model',
  ];
  return {
    text: text.includes(name) ? text : `${name}: ${text}`,
    notes: notes.filter((note) => note !== false),
    command,
  };
}

/** The address of an event of a run. @param link of the run, at any event, place or view */
export const linkToEvent = (link: string, seq: number): string =>
  `${link.replace(/[?#].*$/, '')}#${seq}`;
