import { LogTemplates } from '../../src/engine/logs/log-templates.js';
import type { ObservedNode } from '../../src/engine/observations.js';
import { rankRootCauses } from '../../src/engine/rank-root-causes.js';
import { MINUTE, observed } from './incidents/observations.js';

/** The alert of a shop that fails from minute 10 on. */
export const alerts = [{ labels: { service: 'shop' }, annotations: { summary: 'shop fails' } }];
export const node = (id: string, ...dependsOn: string[]): ObservedNode => ({
  id,
  name: id,
  dependsOn,
});
/** Lines of nodes with errors, as their logs have them. */
export const errors = (...lines: [node: string, minute: number, body: string][]) => {
  const templates = new LogTemplates(6 * MINUTE);
  for (const [id, minute, body] of lines)
    templates.add({ node: id, body, severity: 'ERROR', at: minute * MINUTE, labels: {} });
  return templates.all();
};
/** The first root cause of what was observed. */
export const first = (...args: Parameters<typeof observed>) =>
  rankRootCauses(observed(...args), '').causes[0];
