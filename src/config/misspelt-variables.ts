import { editDistance } from '../lib/text.js';
import { VARIABLES } from './variables.js';

/** Shorter names are too similar to common ones, such as `HOME` and `HOST`. */
const SHORTEST = 6;
const LONG = 9;
const PREFIX = 'CONSILIUM_';
/** Read by commands, not by the service. */
const OF_COMMANDS = ['CONSILIUM_API_KEY', 'CONSILIUM_APPROVE'];
/**
 * Kubernetes and Docker set `CONSILIUM_PORT=tcp://10.0.0.1:3000` and the like for a service named
 * `consilium`.
 */
const LINK = /^(tcp|udp|sctp):\/\//;

/** Names that may be meant, each with its singular form. */
const OURS = new Map(
  [...VARIABLES.map(({ name }) => name), ...OF_COMMANDS].map((name) => [name, singular(name)]),
);

/**
 * Finds variables that probably are misspelt names of ours, also with the prefix `CONSILIUM_`. A
 * longer name (`OPENAI_API_KEY_2`) may belong to another program.
 * @internal Exported for tests.
 */
export function misspeltVariables(env: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (OURS.has(name) || LINK.test(value)) return [];
    const rest = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
    const meant = OURS.has(rest) ? rest : (slipOf(rest) ?? slipOf(name));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/** One line for each misspelt variable. */
export const misspeltWarnings = (env: NodeJS.ProcessEnv): string[] =>
  misspeltVariables(env).map(
    ({ name, meant }) => `Unknown variable ${name}. Did you mean ${meant}?`,
  );

/** The first of our names that a name probably means, with a typing error. */
function slipOf(name: string): string | undefined {
  const one = singular(name);
  for (const [known, oneKnown] of OURS)
    if (isSlip(name, known) || (name.length >= SHORTEST && one === oneKnown)) return known;
  return undefined;
}

function isSlip(name: string, known: string): boolean {
  if (isSwapped(name, known) || isDoubled(name, known)) return true;
  if (name.length < SHORTEST) return false;
  if (name.startsWith(known)) return false;
  const most = name.length < LONG ? 1 : 2;
  if (Math.abs(name.length - known.length) > most) return false;
  return editDistance(name, known, most + 1) <= most;
}

/**
 * Two adjacent letters are swapped, as in `PROT`; two different names rarely differ only in this.
 */
function isSwapped(name: string, known: string): boolean {
  if (name.length !== known.length) return false;
  const at = [...name].findIndex((letter, index) => letter !== known[index]);
  const [a = '', b = ''] = name.slice(at);
  return at >= 0 && known === name.slice(0, at) + b + a + name.slice(at + 2);
}

/** A letter is typed twice, as in `PORTT`. */
function isDoubled(name: string, known: string): boolean {
  if (name.length !== known.length + 1) return false;
  const at = [...name].findIndex((letter, index) => letter !== known[index]);
  return name[at] === name[at - 1] && name.slice(at + 1) === known.slice(at);
}

/** `TOPOLOGIES_DIR` as `TOPOLOGY_DIR`. */
function singular(name: string): string {
  return name.replaceAll(/IES(?=_|$)/g, 'Y').replaceAll(/(?<=[A-Z]{3})S(?=_|$)/g, '');
}
