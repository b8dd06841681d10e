import type { Fault } from '../domain/errors.js';
import type { AgentBinding, Topology } from '../domain/topology/topology.js';
import { allowed, quote } from '../lib/text.js';

/** Every place of a topology that names an unknown model. */
export function modelFaults(
  { globalSupervisor, teams }: Topology,
  names: readonly string[],
): Fault[] {
  const bound: [string, Pick<AgentBinding, 'model'>][] = [
    ['globalSupervisor', globalSupervisor],
    ...teams.flatMap(({ supervisor, workers }, i): [string, AgentBinding][] => [
      [`teams[${i}].supervisor`, supervisor],
      ...workers.map((worker, j): [string, AgentBinding] => [`teams[${i}].workers[${j}]`, worker]),
    ]),
  ];
  return bound.flatMap(([path, { model }]) =>
    model === undefined || names.includes(model)
      ? []
      : [
          {
            path: `${path}.model`,
            message: `unknown model ${quote(model)}: ${allowed(model, names)}`,
          },
        ],
  );
}
