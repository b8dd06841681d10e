import type { Change } from '../../domain/telemetry/records.js';
import { readChange, type ReadChange } from './read-change.js';
import type { MechanismKind } from './mechanisms/mechanism.js';

const VALUE = String.raw`\d[\d_]*(?:\.\d+)?(?:\s?(?:ms|s|m|h|d|[KMG]i?B?|%))?(?![\w.])`;
/** `parallelism 10 -> 50`, `cache TTL from 60m to 10m`. */
const STEP = new RegExp(
  String.raw`([A-Za-z][\w.-]*(?: [A-Za-z][\w.-]*){0,3}?):? (?:from )?(${VALUE}) ?(?:->|→|=>|to) ?(${VALUE})`,
  'g',
);
/** `15.5`, `7.1`: more likely a version than a value. */
const VERSION = /^[1-9]\d*\.\d+$/;

/** The effect of a statement that a person reports to have run. */
const BY_STATEMENT: ReadonlySet<MechanismKind> = new Set([
  'plan-changed',
  'lock-added',
  'schema-change',
  'index-removed',
  'network-policy-changed',
]);

/**
 * The content of a message about a change whose diff was not recorded: settings that went from one
 * value to another, and statements that were run.
 */
export function readMessage(change: Change): ReadChange | undefined {
  const { flag, from, to, message = '' } = change;
  const steps = [...message.matchAll(STEP)].map(([, name = '', was = '', is = '']) => [
    name.trim().replaceAll(' ', '_'),
    was,
    is,
  ]);
  if (flag !== undefined && from !== undefined && to !== undefined && /\d/.test(from + to))
    steps.push([flag, from, to]);
  const settings = steps
    .filter(([, was = '', is = '']) => !(VERSION.test(was) && VERSION.test(is)))
    .flatMap(([name, was, is]) => [`-${name}=${was}`, `+${name}=${is}`]);
  const set = readChange({ ...change, diff: settings.join('\n') });
  const ran = readChange({ ...change, diff: message });
  const mechanisms = [
    ...(settings.length === 0
      ? []
      : set.mechanisms.filter(({ kind }) => kind !== 'constant-changed')),
    ...ran.mechanisms.filter(({ kind }) => BY_STATEMENT.has(kind)),
  ];
  return mechanisms.length === 0 ? undefined : { ...ran, mechanisms };
}
