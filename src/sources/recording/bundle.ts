import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { gunzip } from 'node:zlib';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { schemaFaults } from '../../config/schema-faults.js';
import { ConsiliumError, type Fault } from '../../domain/errors.js';
import type { AlertRecord, IncidentFrame } from '../../domain/telemetry/records.js';
import { manifestSchema, type Manifest } from './manifest.js';

/** The folders of a bundle that hold records. */
export const FOLDERS = [
  'metrics',
  'logs',
  'traces',
  'changes',
  'kubernetes',
  'status',
  'recordings',
] as const;
export type Folder = (typeof FOLDERS)[number];

/** Of a document that is read whole. */
const MOST_DOCUMENT = 64 * 1024 * 1024;

/** An incident bundle on disk: its manifest, and the paths of its records. Contains no records. */
export interface Bundle {
  manifest: Manifest;
  frame: IncidentFrame;
  alerts: AlertRecord[];
  /** alerts.json exists, and is not such a payload. */
  hasDamagedAlerts: boolean;
  /** The content of topology.yaml, not validated. */
  topology: unknown;
  /**
   * Paths by folder, those of included folders too; without an entry where the bundle has no such
   * folder. `probes` are of recordings/.
   */
  files: Partial<Record<Folder | 'probes', string[]>>;
}

/**
 * Opens a bundle.
 * @throws ConsiliumError VALIDATION_FAILED if it is not valid, with the fault
 */
export async function openBundle(folder: string): Promise<Bundle> {
  const manifest = await readManifest(folder);
  const files = await recordsIn(await foldersOf(folder, manifest));
  const { recordings = [], ...others } = files;
  const probes = recordings.filter(isProbes);
  const answers = recordings.filter((path) => !isProbes(path));
  const { start, now, baseline } = manifest;
  const read = await readAlerts(folder, manifest);
  const alerts = read ?? [];
  const reportedAt = manifest.reportedAt ?? firstAlert(alerts, manifest);
  return {
    manifest,
    frame: {
      start,
      now,
      ...(reportedAt !== undefined && { reportedAt }),
      ...(baseline && { baseline }),
    },
    alerts,
    hasDamagedAlerts: read === undefined,
    topology: parseYaml(folder, 'topology.yaml', await readDocument(join(folder, 'topology.yaml'))),
    files: {
      ...others,
      ...(answers.length > 0 && { recordings: answers }),
      ...(probes.length > 0 && { probes }),
    },
  };
}

/**
 * Sizes and times of the files of a bundle: differs once one of them has changed.
 * @throws ConsiliumError VALIDATION_FAILED where it is none
 */
export async function bundleState(folder: string): Promise<string> {
  const records = await recordsIn(await foldersOf(folder, await readManifest(folder)));
  const named = ['incident.yaml', 'topology.yaml', 'alerts.json'].map((name) => join(folder, name));
  const states = [...named, ...Object.values(records).flat()].map(async (path) => {
    const { size, mtimeMs } = (await stat(path).catch(() => undefined)) ?? {};
    return [path, size, mtimeMs];
  });
  return JSON.stringify(await Promise.all(states));
}

/** The folder of a bundle and those that it includes. */
async function foldersOf(folder: string, { include }: Manifest): Promise<string[]> {
  const home = await realpath(dirname(await realpath(folder)));
  const folders = [folder];
  for (const path of include) {
    const included = await realpath(join(folder, path)).catch(() => undefined);
    // A symbolic link might lead out of the folder that holds the bundles.
    if (included === undefined || !included.startsWith(home + sep))
      throw refused(folder, [
        { path: 'include', message: `${path} is no folder beside the bundle` },
      ]);
    folders.push(included);
  }
  return folders;
}

/** Paths of records by kind; without an entry where none of the folders has any. */
async function recordsIn(folders: readonly string[]): Promise<Partial<Record<Folder, string[]>>> {
  const files: Partial<Record<Folder, string[]>> = {};
  for (const name of FOLDERS) {
    const found = await Promise.all(folders.map((each) => filesIn(join(each, name))));
    if (found.flat().length > 0) files[name] = found.flat();
  }
  return files;
}

/** An alert reports a fault if nothing else records when it was noticed. */
function firstAlert(alerts: readonly AlertRecord[], { start, now }: Manifest): number | undefined {
  const times = alerts.flatMap(({ startsAt }) =>
    startsAt !== undefined && startsAt >= start && startsAt <= now ? [startsAt] : [],
  );
  return times.length > 0 ? Math.min(...times) : undefined;
}

const isProbes = (path: string): boolean =>
  /^probes\.(?:ndjson|jsonl)(?:\.gz)?$/.test(basename(path));

/** Whether a folder holds an incident bundle. */
export const isBundle = async (folder: string): Promise<boolean> =>
  (await stat(join(folder, 'incident.yaml')).catch(() => undefined))?.isFile() ?? false;

/**
 * The text of a file, unzipped if its name ends in `.gz`.
 * @throws if it has more than 64 MiB
 */
export async function readDocument(path: string): Promise<string> {
  if ((await stat(path)).size > MOST_DOCUMENT)
    throw new Error(`${basename(path)} is too large to be read whole`);
  const bytes = await readFile(path);
  const plain = path.endsWith('.gz')
    ? await promisify(gunzip)(bytes, { maxOutputLength: MOST_DOCUMENT })
    : bytes;
  return plain.toString('utf8');
}

async function readManifest(folder: string): Promise<Manifest> {
  const text = await readDocument(join(folder, 'incident.yaml')).catch(() => undefined);
  if (text === undefined)
    throw refused(folder, [{ path: 'incident.yaml', message: 'is missing or cannot be read' }]);
  const read = schemaFaults(manifestSchema, parseYaml(folder, 'incident.yaml', text));
  if ('value' in read) return read.value;
  throw refused(
    folder,
    read.faults.map(({ path, message }) => ({ path: `incident.yaml: ${path}`, message })),
  );
}

function parseYaml(folder: string, name: string, text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch (cause) {
    const message = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : 'is no YAML';
    throw refused(folder, [{ path: name, message }]);
  }
}

/** Names the bundle without its path: clients read the message. */
const refused = (folder: string, faults: Fault[]): ConsiliumError =>
  new ConsiliumError('VALIDATION_FAILED', `The incident bundle ${basename(folder)} is not valid`, {
    faults,
  });

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => join(folder, name))
    .sort();
}

const NO_ALERTS = { alerts: [] };
const texts = z.record(z.string(), z.string()).default({});
const webhook = z.object({
  alerts: z.array(
    z.object({
      labels: texts,
      annotations: texts,
      startsAt: z.string().optional(),
      endsAt: z.string().optional(),
    }),
  ),
});

/**
 * The alerts of alerts.json, the payload of an Alertmanager webhook, except those that had ended
 * before a fault was reported, or before `now`; none if it is missing, undefined if it is not such
 * a payload.
 */
async function readAlerts(
  folder: string,
  { reportedAt, now }: Manifest,
): Promise<AlertRecord[] | undefined> {
  const document: unknown = await readDocument(join(folder, 'alerts.json'))
    .then((text) => JSON.parse(text) as unknown)
    .catch((error: unknown) =>
      (error as { code?: unknown }).code === 'ENOENT' ? NO_ALERTS : undefined,
    );
  const parsed = webhook.safeParse(document);
  if (!parsed.success) return undefined;
  return parsed.data.alerts.flatMap(({ labels, annotations, startsAt, endsAt }) => {
    const at = Date.parse(startsAt ?? '');
    // An alert that fires ends in the year 1, or when it would end by itself.
    const end = Date.parse(endsAt ?? '');
    if (end > at && end < (reportedAt ?? now)) return [];
    const started = !Number.isNaN(at) && { startsAt: at };
    const ended = end > at && end <= now && { endedAt: end };
    return [{ labels, annotations, ...started, ...ended }];
  });
}
