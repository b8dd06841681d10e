import { appendFile, readFile, truncate } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { Client } from '../client/index.js';
import { compareReports } from './evaluation/compare-reports.js';
import { diagnoseBundle } from './evaluation/diagnose-bundle.js';
import { findBundles, type BundleFolder } from './evaluation/find-bundles.js';
import { readLeastScores, scoresBelow } from './evaluation/least-scores.js';
import { reportLineSchema, type ReportLine } from './evaluation/report-line.js';
import { scoreReport, type Score } from './evaluation/score.js';
import { scoreTable } from './evaluation/score-table.js';
import { readTruths, type Truth } from './evaluation/truth.js';
import { unreadable } from '../lib/unreadable.js';
import { commandInterrupt } from './command-interrupt.js';
import { startLocalService } from './local-service.js';
import { printError } from './print-error.js';
import { wrongOption } from './wrong-option.js';

const USAGE = `Diagnoses recorded incidents with the whole service and scores the reports.

Usage: npm run evaluate -- FOLDER… [options]
       npm run evaluate -- --compare BEFORE.jsonl AFTER.jsonl [--truth FOLDER]

  FOLDER               an incident bundle, or a folder of them (docs/incidents.md)
      --truth FOLDER   folder of truth files; prints scores (docs/quality.md)
      --least FILE     with --truth: scores that the sets must reach (test/quality/least-scores.json)
      --out FILE       append one line per report; incidents that the file has are skipped
      --model NAME     the model of the agents (default: runbook, the built-in planner)
      --only GLOB      only bundles with these names, such as 'shop-*'; may be given several times
      --compare        print the differences of two files of reports
  -h, --help           print this help

Exit codes: 0 done, 1 a score is below the least one, 2 the evaluation failed, or an incident could not be diagnosed.
`;

const OPTIONS = {
  truth: { type: 'string' },
  least: { type: 'string' },
  out: { type: 'string' },
  model: { type: 'string' },
  only: { type: 'string', multiple: true },
  compare: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Number of diagnoses at the same time. */
const LANES = 3;

interface Options {
  paths: string[];
  truth: string | undefined;
  least: string | undefined;
  out: string | undefined;
  model: string | undefined;
  only: string[] | undefined;
  compare: boolean;
}

function readOptions(args: string[]): Options | 'help' {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (values.help) return 'help';
  if (values.compare ? positionals.length !== 2 : positionals.length === 0)
    throw new Error(
      values.compare ? 'Name two files of reports.' : 'Name a folder of incident bundles.',
    );
  const { truth, least, out, model, only, compare } = values;
  if (least !== undefined && truth === undefined) throw new Error('--least needs --truth FOLDER.');
  return { paths: positionals, truth, least, out, model, only, compare };
}

/**
 * Reads the reports of a file, by incident.
 * @throws an Error that names an invalid line
 */
async function readReports(path: string): Promise<Map<string, ReportLine>> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(unreadable(path, cause), { cause });
  });
  const lines = text.split('\n');
  const reports = lines.flatMap((line, i) => (line.trim() === '' ? [] : [reportIn(line, path, i)]));
  return new Map(reports.map((report) => [report.incidentId, report]));
}

function reportIn(line: string, path: string, index: number): ReportLine {
  try {
    return reportLineSchema.parse(JSON.parse(line));
  } catch {
    throw new Error(`Line ${index + 1} of ${path} is not a report of an evaluation.`);
  }
}

/**
 * The same; none if there is no such file yet. An incomplete last line of an evaluation that was
 * killed is dropped.
 */
async function readEarlier(path: string): Promise<Map<string, ReportLine>> {
  let text: Buffer;
  try {
    text = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Map<string, ReportLine>();
    throw error;
  }
  const end = text.lastIndexOf('\n') + 1;
  if (end < text.length) await truncate(path, end);
  return readReports(path);
}

interface Evaluation {
  reports: Map<string, ReportLine>;
  /** Names of incidents that could not be diagnosed. */
  failed: string[];
}

async function evaluate(options: Options, interrupt: AbortSignal): Promise<Evaluation> {
  const reports =
    options.out === undefined ? new Map<string, ReportLine>() : await readEarlier(options.out);
  const folders = await findBundles(options.paths, options.only);
  const all = folders.reduce((sum, { names }) => sum + names.length, 0);
  let done = 0;
  const failed: string[] = [];
  const keep = async (report: ReportLine) => {
    reports.set(report.incidentId, report);
    done += 1;
    const [first] = report.ranked;
    const said = report.healthy ? 'healthy' : `${first?.node ?? '-'} ${first?.kind ?? ''}`;
    console.error(
      `${String(done).padStart(4)}/${all}  ${report.incidentId}  ${report.seconds.toFixed(1)} s  ${said}`,
    );
    if (options.out !== undefined) await appendFile(options.out, `${JSON.stringify(report)}\n`);
  };
  for (const { folder, names } of folders) {
    const left = names.filter((name) => !reports.has(name));
    const known = names.length - left.length;
    done += known;
    if (known > 0) console.error(`${known} of ${names.length} incidents are in ${options.out}.`);
    if (left.length > 0)
      failed.push(
        ...(await diagnoseFolder({ folder, names: left }, options.model, keep, interrupt)),
      );
  }
  return { reports, failed };
}

/**
 * One service for all bundles of a folder.
 * @returns the names of those that could not be diagnosed
 */
async function diagnoseFolder(
  { folder, names }: BundleFolder,
  model: string | undefined,
  keep: (report: ReportLine) => Promise<void>,
  interrupt: AbortSignal,
): Promise<string[]> {
  const service = await startLocalService({
    logLevel: process.env['LOG_LEVEL'] ?? 'error',
    say: (line) => console.error(line),
    interrupt,
    variables: { INCIDENTS_DIR: folder, ...(model !== undefined && { MODEL: model }) },
  });
  try {
    const client = new Client(service.url);
    const queue = [...names];
    const failed: string[] = [];
    const lane = async () => {
      for (
        let name = queue.shift();
        name !== undefined && !interrupt.aborted;
        name = queue.shift()
      ) {
        const report = await diagnoseBundle(client, folder, name).catch((error: unknown) => {
          console.error(`${name} could not be diagnosed:`);
          printError(error);
        });
        if (report) await keep(report);
        else failed.push(name);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    interrupt.throwIfAborted();
    return failed;
  } finally {
    await service.close();
  }
}

function scoresOf(
  truths: ReadonlyMap<string, Truth>,
  reports: ReadonlyMap<string, ReportLine>,
): Score[] {
  const asked = [...truths.values()].filter(({ id }) => reports.has(id));
  return asked.map((truth) => scoreReport(truth, reports.get(truth.id)));
}

async function main(): Promise<number> {
  let options: Options | 'help';
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    printError(wrongOption(error, OPTIONS));
    return 2;
  }
  if (options === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  try {
    const truths =
      options.truth === undefined ? new Map<string, Truth>() : await readTruths(options.truth);
    if (options.compare) {
      const [before = '', after = ''] = options.paths;
      const lines = compareReports(await readReports(before), await readReports(after), truths);
      console.log(lines.length === 0 ? 'No differences.' : lines.join('\n'));
      return 0;
    }
    const least = options.least === undefined ? {} : await readLeastScores(options.least);
    const { reports, failed } = await evaluate(options, commandInterrupt());
    const scores = scoresOf(truths, reports);
    if (truths.size > 0) console.log(scoreTable(scores));
    const below = scoresBelow(least, scores);
    if (below.length > 0) console.error(['', 'Scores that have fallen:', ...below].join('\n'));
    if (failed.length > 0) console.error(`Could not be diagnosed: ${failed.join(', ')}.`);
    return failed.length > 0 ? 2 : Number(below.length > 0);
  } catch (error) {
    printError(error);
    return 2;
  }
}

process.exit(await main());
