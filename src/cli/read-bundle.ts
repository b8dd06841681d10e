import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { unreadable } from '../lib/unreadable.js';

/** The parts of an incident bundle that commands need: the service reads the records. */
export interface BundleFile {
  /** The folder that a service mounts, and the name of the bundle in it. */
  folder: string;
  name: string;
  /** The request body that creates a topology of it. */
  content: { id: unknown; incident: string };
  /** The question of the incident's own report. */
  message: string | undefined;
}

export const isBundle = async (path: string): Promise<boolean> =>
  (await stat(join(path, 'incident.yaml')).catch(() => undefined))?.isFile() ?? false;

/** @throws if its two YAML files cannot be read */
export async function readBundle(path: string): Promise<BundleFile> {
  const folder = dirname(resolve(path));
  const name = basename(resolve(path));
  const yaml = async (file: string) => {
    const text = await readFile(join(path, file), 'utf8').catch((cause: unknown) => {
      throw new Error(unreadable(join(path, file), cause), { cause });
    });
    return (parse(text) ?? {}) as Record<string, unknown>;
  };
  const { message } = await yaml('incident.yaml');
  const { id } = await yaml('topology.yaml');
  const text = typeof message === 'string' ? message.trim() : '';
  return { folder, name, content: { id, incident: name }, message: text === '' ? undefined : text };
}
