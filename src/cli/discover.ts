import { parseArgs } from 'node:util';
import { loadConfig } from '../config/load-config.js';
import type { TopologyDraft } from '../domain/discovery/draft.js';
import { GRAPH_METRICS } from '../domain/discovery/from-graph-metrics.js';
import { writeDraft } from '../domain/discovery/write-draft.js';
import { allowed, quote } from '../lib/text.js';
import {
  discoverCluster,
  discoverCompose,
  discoverManifests,
  discoverMetrics,
  discoverTraces,
} from '../sources/discovery/find-topology.js';
import { type ListedServer, readSourcesFile } from '../sources/live/sources-file.js';
import { EgressPolicy } from '../tools/egress/egress-policy.js';
import { sourceEgress } from '../tools/egress/source-egress.js';
import { commandInterrupt } from './command-interrupt.js';
import { commandName } from './command-name.js';
import { printError } from './print-error.js';
import { oneLine } from './report/layout.js';
import { wrongOption } from './wrong-option.js';

const USAGE = `Writes a draft of a topology, with a comment for where each node and each edge is from.

Usage: ${commandName('discover')} compose FILE... [--env-file FILE]
       ${commandName('discover')} kubernetes --source ID | FILE...
       ${commandName('discover')} prometheus --source ID
       ${commandName('discover')} traces FILE...

      --source ID      a server of SOURCES_FILE
      --env-file FILE  variables of compose files
      --name NAME      of the topology (default: discovered)
  -h, --help           print this help

Review the draft: services may call others by names that no file contains, and may wait for others that they do not call.

Exit codes: 0 written, 1 nothing was found, 2 could not read.
`;

const OPTIONS = {
  source: { type: 'string' },
  'env-file': { type: 'string' },
  name: { type: 'string', default: 'discovered' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;
const KINDS = ['compose', 'kubernetes', 'prometheus', 'traces'];

interface DiscoverOptions {
  kind: string;
  files: string[];
  source: string | undefined;
  envFile: string | undefined;
}

async function find(
  { kind, files, source, envFile }: DiscoverOptions,
  signal: AbortSignal,
): Promise<TopologyDraft> {
  if (source === undefined) {
    if (files.length === 0 || kind === 'prometheus')
      throw new Error(`Name ${kind === 'prometheus' ? 'a source' : 'a file'}: see --help.`);
    if (kind === 'compose') return discoverCompose(files, envFile);
    return kind === 'traces' ? discoverTraces(files) : discoverManifests(files);
  }
  const config = loadConfig(process.env);
  const egress = sourceEgress(EgressPolicy.of(config.egressAllow, config.egressDeny, []));
  const reach = { egress, secretOf: config.secretOf };
  const listed = listedOf(readSourcesFile(config.sourcesFile), source);
  if (listed.kind === kind) {
    if (listed.kind === 'kubernetes') return discoverCluster(listed, reach, signal);
    if (listed.kind === 'prometheus') return discoverMetrics(listed, reach, signal);
  }
  throw new Error(`Source ${source} has the kind ${listed.kind}.`);
}

function listedOf(all: readonly ListedServer[], id: string): ListedServer {
  const listed = all.find((each) => each.id === id);
  if (listed) return listed;
  const names = all.map((each) => each.id);
  throw new Error(`SOURCES_FILE has no source ${quote(id)}: ${allowed(id, names)}.`);
}

/** The required fields of a source. */
const NEEDS: Partial<Record<string, string>> = {
  prometheus: `It needs calls of the last hour in ${GRAPH_METRICS.map(({ name }) => name).join(' or ')}.`,
};

/** Where the names of the hosts in a draft come from. */
const NOTES: Partial<Record<string, string>> = {
  compose:
    'Hosts have the names of the compose network. Where these do not resolve, write a published port of localhost instead.',
  kubernetes:
    'Hosts have the names of services inside of the cluster. Where these do not resolve, run the diagnosis in the cluster, write addresses that are reached from outside, or remove the endpoint: a node with `in` is then diagnosed by its objects alone, and one without needs kind workload.',
};

try {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [kind = '', ...files] = positionals;
  if (values.help) process.stdout.write(USAGE);
  else if (!KINDS.includes(kind))
    throw new Error(`There is nothing to discover in ${quote(kind)}: ${allowed(kind, KINDS)}.`);
  else {
    const given = { kind, files, source: values.source, envFile: values['env-file'] };
    const draft = await find(given, commandInterrupt());
    if (draft.nodes.length === 0) {
      const where = values.source === undefined ? files.join(', ') : `source ${values.source}`;
      const why = [...draft.unread.map((each) => `Not read: ${each}`), NEEDS[kind] ?? ''];
      console.error(
        oneLine(`${where}: no service was found, so there is no draft. ${why.join(' ')}`.trim()),
      );
    } else {
      const sources = [{ id: values.source ?? 'k8s', kind: kind as 'kubernetes' | 'prometheus' }];
      const note = NOTES[kind];
      const notes = note === undefined ? [] : [note];
      process.stdout.write(writeDraft(draft, { name: values.name, sources, notes }));
    }
    process.exitCode = draft.nodes.length > 0 ? 0 : 1;
  }
} catch (error) {
  printError(wrongOption(error, OPTIONS));
  process.exitCode = 2;
}
