import type { NextStep } from '../finding.js';
import type { CommandTarget } from './command-target.js';
import { commandFor } from './step-command.js';

/**
 * The forms of the ids of changes, by what made them, with the commands that show and undo one. Ids
 * are foreign text: no other form is put into a command. `<previous>` is the revision before the
 * change, which may be long before the latest one; without one, nothing is undone.
 */
const BY_ID: readonly [id: RegExp, show: string, undo: string][] = [
  [/^(?<sha>[0-9a-f]{7,64})$/, 'git show <sha>', 'git revert <sha>'],
  [
    /^(?<object>deployment\/[a-z0-9.-]{1,253})@(?<revision>\d{1,9})$/,
    'kubectl rollout history <workload> --revision=<revision>',
    'kubectl rollout undo <workload> --to-revision=<previous>',
  ],
  [
    /^(?<app>[a-z0-9](?:[a-z0-9.-]|\/(?=[a-z0-9])){0,250})@(?<revision>\d{1,9})$/,
    'argocd app history <app>',
    'argocd app rollback <app> <previous>',
  ],
];
/** A whole id of Git: its beginning is enough for people. */
const COMMIT = /^[0-9a-f]{40}$/;
/** Steps that search for a known change, or undo the last one. */
const LOOKS_FOR_CHANGE = /\bgit log\b|\brollout (?:history|undo)\b/;

/**
 * The steps about a root cause. Those about the change that caused it come first: read it, then
 * roll it back.
 */
export function withChangeSteps(
  { change, evidence }: { change?: string | undefined; evidence: number[] },
  at: CommandTarget,
  steps: readonly NextStep[],
): NextStep[] {
  if (change === undefined) return [...steps];
  const { node } = at;
  const [show, undo] = commandsFor(change, at);
  const common = { node: node.id, evidence, origin: 'catalogue' } as const;
  const name = COMMIT.test(change) ? change.slice(0, 12) : change.slice(0, 40);
  return [
    {
      text: `Read change ${name} of ${node.name}.`,
      access: 'read',
      ...common,
      ...(show !== undefined && { command: show }),
    },
    {
      text: `Roll back change ${name} of ${node.name}.`,
      access: 'change',
      ...common,
      ...(undo !== undefined && { command: undo }),
    },
    ...steps.filter(({ command = '' }) => !LOOKS_FOR_CHANGE.test(command)),
  ];
}

function commandsFor(change: string, at: CommandTarget): (string | undefined)[] {
  for (const [id, ...commands] of BY_ID) {
    const { groups } = id.exec(change) ?? {};
    if (groups === undefined) continue;
    // A node may stand for several workloads, of which only one was changed.
    const { object, revision } = groups;
    if (object !== undefined && at.values['workload']?.split(' ').at(-1) !== object) return [];
    // Deployments count from 1, applications of Argo CD from 0.
    const previous = Number(revision) - 1;
    const hasPrevious = previous >= (object === undefined ? 0 : 1);
    return commands.map((command) => {
      if (command.includes('<previous>') && !hasPrevious) return undefined;
      const own = Object.entries({ ...groups, previous: String(previous) }).reduce(
        (text, [name, value]) => text.replace(`<${name}>`, value),
        command,
      );
      return commandFor([own], at);
    });
  }
  return [];
}
