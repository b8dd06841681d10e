import { loadConfig } from '../config/load-config.js';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import type { Fault } from '../domain/errors.js';
import { likelySlips } from '../domain/topology/topology-warnings.js';
import { Client } from '../client/index.js';
import type { TerminalEvent } from '../domain/events/event.js';
import { eventText } from '../domain/events/event-text.js';
import type { Verdict } from '../domain/diagnosis/finding.js';
import { diagnoseAndRepair } from './approval/diagnose-and-repair.js';
import { BundleWriter } from './capture/bundle-writer.js';
import { captureSources, missingText } from './capture/capture-sources.js';
import { captureRun, replayHint } from './capture/capture-run.js';
import { commandName } from './command-name.js';
import { followRun, type RunEnding } from './follow-run.js';
import { commandInterrupt } from './command-interrupt.js';
import { oneLine, printableJson } from './report/layout.js';
import { printError } from './print-error.js';
import { putTopology } from './put-topology.js';
import { isBundle, readBundle } from './read-bundle.js';
import { readTopology, type TopologyFile } from './read-topology.js';
import { wrongOption } from './wrong-option.js';
import { keyHeaders } from './key-headers.js';

const USAGE = `Diagnoses a topology file, or a recorded incident, from the terminal.

Usage: ${commandName('diagnose')} FILE|FOLDER [options]

  FILE                 a topology, YAML or JSON; - reads it from standard input;
                       examples are in examples/topologies
  FOLDER               an incident bundle; examples are in examples/incidents
  -m, --message TEXT   the symptom (default: the message of the incident, or
                       "Analyze system state and health status.")
      --json           print only the run with its report, as JSON
      --markdown       print only the report, as Markdown
  -q, --quiet          print only the headline
      --server URL     use a running service, which keeps the topology (default: start one for this run)
      --repair         let agents ask to change things: asks you before each change,
                       and diagnoses again after one
      --yes            with --repair: approve every change without a question
      --capture FOLDER write the measurements as an incident bundle, for a later offline diagnosis
      --replace        with --server: replace an existing topology with the same id
  -h, --help           print this help

Without a terminal, --repair prints the command that approves a change, and waits.
CONSILIUM_API_KEY is sent as a bearer token, if it is set.
Ctrl-C cancels the run; a second Ctrl-C exits immediately.
Exit codes: 0 healthy, 1 issues found, 2 it could not be diagnosed.
`;

const COULD_NOT = 2;
const DEFAULT_MESSAGE = 'Analyze system state and health status.';
const EXIT_CODE: Record<Verdict, number> = {
  healthy: 0,
  root_cause_found: 1,
  issues_found: 1,
  inconclusive: COULD_NOT,
};

interface Options {
  file: string;
  message: string | undefined;
  output: 'live' | 'json' | 'markdown' | 'quiet';
  server: string | undefined;
  capture: string | undefined;
  replace: boolean;
  /** Agents may ask for changes; `yes`: all are approved without a question. */
  repair: { yes: boolean } | undefined;
}

const OPTIONS = {
  message: { type: 'string', short: 'm' },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  quiet: { type: 'boolean', short: 'q', default: false },
  server: { type: 'string' },
  repair: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  capture: { type: 'string' },
  replace: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function readOptions(args: string[]): Options | 'help' {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: OPTIONS,
  });
  if (values.help) return 'help';
  const [file] = positionals;
  if (file === undefined || positionals.length > 1)
    throw new Error(`Name one topology file, not ${positionals.length}.`);
  if (
    values.server !== undefined &&
    !(URL.canParse(values.server) && /^https?:$/.test(new URL(values.server).protocol))
  ) {
    throw new Error(`--server needs a URL such as http://127.0.0.1:3000, not ${values.server}.`);
  }
  if (values.message?.trim() === '') throw new Error('--message needs a text.');
  const outputs = (['json', 'markdown', 'quiet'] as const).filter((output) => values[output]);
  if (outputs.length > 1)
    throw new Error(`Name one of --${outputs.join(' and --')}: each prints nothing else.`);
  const { repair, yes } = values;
  if (yes && !repair) throw new Error('--yes approves repairs: it needs --repair.');
  if (repair && values.capture !== undefined)
    throw new Error('--capture records one run, and --repair makes two: leave one of them out.');
  return {
    file,
    message: values.message,
    output: outputs[0] ?? 'live',
    server: values.server,
    capture: values.capture,
    replace: values.replace,
    repair: repair ? { yes } : undefined,
  };
}

/**
 * Prints probable mistakes on standard error, once each and in the order of the file: standard
 * output has only the report.
 */
function warner(lineOf: TopologyFile['lineOf']): (warnings: readonly Fault[]) => void {
  const said = new Set<string>();
  return (warnings) => {
    const inOrder = warnings
      .map((warning) => ({ ...warning, line: lineOf(warning.path) }))
      .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
    for (const { path, message, line } of inOrder) {
      if (!said.has(path))
        console.error(
          oneLine(`Warning: ${line === undefined ? '' : `line ${line}, `}${path}: ${message}`),
        );
      said.add(path);
    }
  };
}

/** @returns the exit code */
async function diagnose(options: Options): Promise<number> {
  const isLive = options.output === 'live';
  const quietly = options.output === 'quiet' || !process.stderr.isTTY;
  const progress = isLive ? process.stdout : quietly ? undefined : process.stderr;
  let lineOf: TopologyFile['lineOf'] | undefined;
  let close = async (): Promise<void> => undefined;
  let interrupt: AbortSignal | undefined;
  try {
    const capture =
      options.capture === undefined ? undefined : await BundleWriter.open(options.capture);
    const bundle = (await isBundle(options.file)) ? await readBundle(options.file) : undefined;
    if (bundle && options.repair)
      throw new Error('--repair changes what runs: a recorded incident cannot be repaired.');
    const file = bundle
      ? { content: bundle.content, lineOf: () => undefined }
      : await readTopology(options.file);
    const warn = warner(file.lineOf);
    if (bundle || options.server !== undefined) warn(likelySlips(file.content));
    // Loaded only if it is needed: a run on a remote service starts faster without it.
    const local = options.server === undefined ? await import('./local-service.js') : undefined;
    // Created only now: before, there is nothing to stop, and loading modules would delay Ctrl-C.
    interrupt = commandInterrupt();
    let url = options.server ?? '';
    if (local) {
      const say = (line: string): void =>
        void (progress === process.stdout ? process.stderr : progress)?.write(`${line}\n`);
      const variables = bundle === undefined ? {} : { INCIDENTS_DIR: bundle.folder };
      const { check, warnings } = local.checkLocalService(variables);
      ({ lineOf } = file);
      if (bundle === undefined) {
        warn(warnings(file.content));
        check(file.content);
      }
      ({ url, close } = await local.startLocalService({
        logLevel: isLive ? (process.env['LOG_LEVEL'] ?? 'error') : 'silent',
        say,
        variables,
        interrupt,
      }));
    }
    if (interrupt.aborted) throw new Error('Cancelled before the run began.');
    const client = new Client(url, { headers: keyHeaders() });
    // From here on, a fault is a fault of the file.
    ({ lineOf } = file);
    const { id: topologyId, warnings } = await putTopology(
      client,
      file.content,
      options.replace || options.server === undefined,
    );
    warn(warnings);
    const onFailure =
      progress === undefined ? { onFailure: (line: string) => console.error(line) } : {};
    const asked = {
      topologyId,
      userMessage: options.message ?? bundle?.message ?? DEFAULT_MESSAGE,
      screen: progress,
      interrupt,
      ...onFailure,
    };
    // With --json, --markdown and --quiet, notes are not printed.
    const notes = isLive ? process.stdout : process.stderr;
    const outcome = options.repair
      ? await diagnoseAndRepair(client, { ...asked, ...options.repair, notes })
      : await followRun(client, asked);
    process.stdout.write(await resultOf(options.output, outcome, client));
    if (!capture) return exitCode(outcome);
    // From the file, since the service shows no passwords. A bundle has no live sources.
    const isLocal = options.server === undefined && bundle === undefined;
    const metricsOf = isLocal ? metricsInto(capture, file.content, interrupt) : undefined;
    try {
      await captureRun(client, outcome.runId, capture, metricsOf);
    } catch (error) {
      console.error('The capture failed: no bundle was written.');
      throw error;
    }
    if (options.output !== 'quiet') console.error(replayHint(capture));
    return exitCode(outcome);
  } catch (error) {
    if (!interrupt?.aborted || error !== interrupt.reason) printError(error, lineOf);
    return COULD_NOT;
  } finally {
    await close();
  }
}

const HOUR_MS = 3_600_000;

/** Captures the metrics that the run may have read: those of the hour before it. */
const metricsInto =
  (writer: BundleWriter, topology: unknown, signal: AbortSignal) => async (now: number) => {
    const given = { writer, config: loadConfig(process.env), signal };
    const captured = await captureSources(topology, { start: now - HOUR_MS, now }, given);
    process.stderr.write(missingText(captured?.missing ?? []));
    return captured?.frame;
  };

/** What is printed when the run has ended, beside what was shown live. */
async function resultOf(
  output: Options['output'],
  { runId, last }: RunEnding,
  client: Client,
): Promise<string> {
  switch (output) {
    case 'live':
      return '';
    case 'json':
      return `${printableJson(await client.show(runId))}\n`;
    case 'markdown':
      return client.reportMarkdown(runId);
    case 'quiet':
      return `${oneLine(eventText(last))}\n`;
  }
}

function exitCode({ end, verdict }: RunEnding): number {
  const completed: TerminalEvent = 'lifecycle.completed';
  return end === completed && verdict !== undefined ? EXIT_CODE[verdict] : COULD_NOT;
}

/** @returns the exit code */
export async function diagnoseCommand(): Promise<number> {
  // Reading a large recorded incident creates much garbage: the heap is collected whenever it has
  // grown by this share (measured by scripts/large-bundle.mjs).
  setFlagsFromString('--heap-growing-percent=30');
  let options: Options | 'help';
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    printError(wrongOption(error, OPTIONS));
    console.error(`\`${commandName('diagnose')} --help\` lists the options.`);
    return COULD_NOT;
  }
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  return diagnose(options);
}
