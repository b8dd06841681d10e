import { editDistance } from '../lib/text.js';
import { VARIABLES } from './variables.js';

/** Shorter names are too similar to common ones, such as `HOME` and `HOST`. */
const SHORTEST = 6;
const LONG = 9;
const PREFIX = 'CONSILIUM_';
/** Read by commands, not by the service. */
const OF_COMMANDS = ['CONSILIUM_API_KEY', 'CONSILIUM_APPROVE'];
/** Kubernetes and Docker set `CONSILIUM_PORT=tcp://10.0.0.1:3000` and the like for a service named `consilium`. */
const LINK = /^(tcp|udp|sctp):\/\//;

/**
 * Finds variables that probably are misspelt names of ours, also with the prefix `CONSILIUM_`. A longer name
 * (`OPENAI_API_KEY_2`) may belong to another program.
 */
export function misspeltVariables(env: NodeJS.ProcessEnv): { name: string; meant: string }[] {
  const ours = [...VARIABLES.map(({ name }) => name), ...OF_COMMANDS];
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (ours.includes(name) || LINK.test(value)) return [];
    const rest = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
    const meant = ours.find(
      (known) => known === rest || isSlip(rest, known) || isSlip(name, known),
    );
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/** One line for each misspelt variable. */
export const misspeltWarnings = (env: NodeJS.ProcessEnv): string[] =>
  misspeltVariables(env).map(
    ({ name, meant }) => `Unknown variable ${name}. Did you mean ${meant}?`,
  );

function isSlip(name: string, known: string): boolean {
  if (isSwapped(name, known) || isDoubled(name, known)) return true;
  if (name.length < SHORTEST) return false;
  if (singular(name) === singular(known)) return true;
  if (name.startsWith(known)) return false;
  return editDistance(name, known) <= (name.length < LONG ? 1 : 2);
}

/** Two neighbouring letters are swapped, as in `PROT`; of another name that is hardly ever true. */
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
const singular = (name: string): string =>
  name.replaceAll(/IES(?=_|$)/g, 'Y').replaceAll(/(?<=[A-Z]{3})S(?=_|$)/g, '');
