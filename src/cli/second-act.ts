import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Report } from '../domain/diagnosis/finding.js';
import type { Client } from '../client/index.js';
import { commandName } from './command-name.js';
import { followRun } from './follow-run.js';
import { count, duration, wrap } from './report/layout.js';
import { paintFor } from './report/paint.js';
import { putTopology } from './put-topology.js';
import { readBundle } from './read-bundle.js';
import { findingLines, rootCauses, type RenderContext } from './report/render-report.js';

const BUNDLE = fileURLToPath(new URL('../../examples/incidents/own-c19d40e7', import.meta.url));

/** The folder that the service mounts as INCIDENTS_DIR. */
export const INCIDENTS = dirname(BUNDLE);

const STORY = `A recorded incident: metrics, logs, commits and deploys of seven services. Customers cannot pay. The alert is about \
checkout, the errors that they see are of checkout, and checkout was deployed three minutes before the first of them.`;

/**
 * Diagnoses a recorded incident in which the symptom, the alert and the latest deploy are
 * misleading, and prints why.
 */
export async function secondAct(
  client: Client,
  screen: NodeJS.WriteStream,
  interrupt: AbortSignal,
): Promise<void> {
  const paint = paintFor(screen, process.env);
  const columns = screen.columns ?? 100;
  const say = (lines: readonly string[]): void => void screen.write(`${lines.join('\n')}\n`);
  say(['', paint('bold', 'Second act'), ...wrap(STORY, Math.min(columns, 100)), '']);
  const { content, message = '' } = await readBundle(BUNDLE);
  const started = performance.now();
  const { id: topologyId } = await putTopology(client, content, true);
  const { last, facts } = await followRun(client, {
    topologyId,
    userMessage: message,
    screen: undefined,
    interrupt,
  });
  if (last.name === 'lifecycle.cancelled') {
    say([paint('yellow', '■ Cancelled')]);
    return;
  }
  const { report } = last.data;
  if (report === null) return;
  const page: RenderContext = { facts, columns, paint };
  const took = duration(performance.now() - started);
  say([
    ...rootCauses(report, page),
    paint('bold', 'What points elsewhere'),
    ...elsewhere(report, page),
    '',
    paint(
      'dim',
      `${count(facts.toolCalls, 'tool call')}, ${took}. More: ${commandName('diagnose')} ${relative(process.cwd(), BUNDLE)}`,
    ),
  ]);
}

/**
 * The statements of the ranking about suspects that it rules out: findings that are not failures
 * themselves.
 */
function elsewhere({ findings, impact }: Report, page: RenderContext): string[] {
  const cleared = findings.filter(
    ({ severity, evidence }) =>
      severity === 'info' &&
      evidence.every((sequence) => page.facts.results.get(sequence)?.tool === 'rank_root_causes'),
  );
  return [...cleared.flatMap((finding) => findingLines(finding, page)), `  ${impact ?? ''}`];
}
