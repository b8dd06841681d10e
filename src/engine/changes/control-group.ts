import type { Change } from '../../domain/telemetry/records.js';
import type { ChangeScene } from './change-scene.js';

/** A harmful rollout shows its effect within this time. */
const SHOWS_MS = 10 * 60_000;
/**
 * The remaining factor of a change that did no harm elsewhere: it may need conditions that only one
 * node has.
 */
const HARMLESS_ELSEWHERE = 0.5;

type Scene = Pick<ChangeScene, 'deploys' | 'unhealthy' | 'recorded' | 'sorts' | 'now'>;

/** Whether a node that does the same work got the same version, and is healthy: a control group. */
export function doubtByControl(
  deploy: Pick<Change, 'node' | 'version' | 'commit'> | undefined,
  { deploys, unhealthy, recorded, sorts, now }: Scene,
): { factor: number; against: string[] } {
  const { node = '', version, commit } = deploy ?? {};
  const control = deploys.find(
    (each) =>
      each.node !== undefined &&
      each.node !== node &&
      ((version !== undefined && each.version === version) ||
        (commit !== undefined && each.commit === commit)) &&
      sorts.get(each.node) !== undefined &&
      sorts.get(each.node) === sorts.get(node) &&
      each.at + SHOWS_MS <= now &&
      recorded.has(each.node) &&
      !unhealthy.has(each.node),
  );
  return control === undefined
    ? { factor: 1, against: [] }
    : {
        factor: HARMLESS_ELSEWHERE,
        against: [`the same went live at ${control.node}, which shows no symptom`],
      };
}
