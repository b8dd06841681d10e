import { createHash } from 'node:crypto';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { VARIABLES } from '../config/variables.js';
import { ConsiliumError, type Fault } from '../domain/errors.js';
import type { Topology } from '../domain/topology/topology.js';
import { parseTopologyText } from './topology-text.js';

const MAX_BYTES = 1_048_576;
/** The folder of a clone. An installed package has none. */
const STANDARD = VARIABLES.find(({ name }) => name === 'TOPOLOGIES_DIR')?.default;

/** A file with a topology, and the SHA-256 of its text; or with faults. */
export type LoadedTopology = { name: string } & (
  { topology: Topology; hash: string } | { faults: Fault[] }
);

/**
 * The files of a folder (`*.yaml`, `*.yml`, `*.json`, not of its subfolders), sorted, so that every
 * process reads them in the same order.
 * @throws Error of a folder that cannot be read
 */
export async function topologyFileNames(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => /\.(?:ya?ml|json)$/.test(name)).sort();
  } catch (error) {
    if (directory === STANDARD && codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Reads files of a folder one after the other. Of two with the same id, the second has a fault.
 * @param parse throws ConsiliumError VALIDATION_FAILED with every fault
 */
export async function* readTopologyFiles(
  directory: string,
  names: readonly string[],
  parse: (value: unknown) => Topology | Promise<Topology>,
): AsyncGenerator<LoadedTopology, void> {
  const files = new Map<number, string>();
  for (const name of names) {
    const file = await readFile(directory, name, parse);
    const id = 'topology' in file ? file.topology.id : undefined;
    const other = id === undefined ? undefined : files.get(id);
    if (other !== undefined) {
      const message = `${id} is already the id of the topology in ${other}`;
      yield { name, faults: [{ path: 'id', message }] };
      continue;
    }
    if (id !== undefined) files.set(id, name);
    yield file;
  }
}

async function readFile(
  directory: string,
  name: string,
  parse: (value: unknown) => Topology | Promise<Topology>,
): Promise<LoadedTopology> {
  let text: string;
  try {
    text = await readBounded(join(directory, name));
  } catch (error) {
    return { name, faults: [{ path: '', message: `cannot be read: ${codeOf(error)}` }] };
  }
  const parsed = parseTopologyText(text, name);
  if ('faults' in parsed) return { name, faults: parsed.faults };
  try {
    const topology = await parse(parsed.value);
    return { name, topology, hash: createHash('sha256').update(text).digest('hex') };
  } catch (error) {
    if (!(error instanceof ConsiliumError)) throw error;
    return { name, faults: error.options.faults ?? [] };
  }
}

/** @throws Error if it is not a readable file, or larger than {@link MAX_BYTES} */
async function readBounded(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > MAX_BYTES) throw new Error(`${size} bytes, more than ${MAX_BYTES}`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** The code of an error of the file system, else its message. */
export const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
