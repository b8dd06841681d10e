import type { Asked } from '../asked.js';
import type { Shape } from '../facts.js';
import { shortened, timeText, type Diagnosed } from '../replies/report.js';
import { viewOfRun } from './topic-view.js';
import type { Topic } from './topics.js';

/** Maximum of diagnoses that are read. */
const READ = 10;

/** Lists the diagnoses before one that found trouble about a topic, newest first. */
export function earlierLines(
  asked: Asked,
  { run, shape }: Diagnosed,
  topic: Topic,
  named: Shape['nodes'],
): string[] {
  const { facts } = asked;
  const rows = facts
    .rows({ topology_id: run.topology_id, status: 'completed', limit: READ })
    .filter(({ created_at }) => created_at < run.created_at);
  const lines = facts
    .runs(rows.map(({ run_id }) => run_id))
    .flatMap((each) =>
      viewOfRun(asked, { run: each, shape }, topic, { named, readsLog: false }).trouble.map(
        (text) => `- ${timeText(each.created_at)}: ${text}`,
      ),
    );
  return lines.length === 0 ? [] : ['Earlier diagnoses found:', ...shortened(lines)];
}
