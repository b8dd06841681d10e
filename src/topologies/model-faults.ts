import type { Fault } from '../domain/errors.js';
import type { AgentBinding } from '../domain/topology/topology.js';
import type { NamedParts } from '../domain/topology/topology-sketch.js';
import { allowed, quote } from '../lib/text.js';

/** Every place of a topology that names an unknown model. */
export function modelFaults(
  { globalSupervisor, teams }: NamedParts,
  names: readonly string[],
): Fault[] {
  const bound: [string, Pick<AgentBinding, 'model'>][] = [
    ['globalSupervisor', globalSupervisor],
    ...teams.flatMap(({ supervisor, workers }, i): [string, Pick<AgentBinding, 'model'>][] => [
      [`teams[${i}].supervisor`, supervisor],
      ...workers.map((worker, j): [string, Pick<AgentBinding, 'model'>] => [
        `teams[${i}].workers[${j}]`,
        worker,
      ]),
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
