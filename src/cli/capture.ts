import { parseArgs } from 'node:util';
import { loadConfig } from '../config/load-config.js';
import type { JsonObject } from '../lib/json.js';
import { BundleWriter } from './capture/bundle-writer.js';
import { captureSources, framed, missingText } from './capture/capture-sources.js';
import { commandInterrupt } from './command-interrupt.js';
import { commandName } from './command-name.js';
import { printError } from './print-error.js';
import { readTopology } from './read-topology.js';
import { wrongOption } from './wrong-option.js';

const USAGE = `Records the telemetry of a topology's live sources as an incident bundle.

Usage: ${commandName('capture')} FILE FOLDER [options]

  FILE                 a topology whose nodes select telemetry of sources (docs/sources.md)
  FOLDER               a new folder; its name becomes the name of the incident
      --from TIME      begin: 30m or 2h ago, or an RFC 3339 time (default: 1h)
      --to TIME        end (default: now)
  -m, --message TEXT   what seems wrong
  -h, --help           print this help

To record what probes find, too: ${commandName('diagnose')} FILE --capture FOLDER
Exit codes: 0 captured, 2 could not capture.
`;

const OPTIONS = {
  from: { type: 'string', default: '1h' },
  to: { type: 'string', default: 'now' },
  message: { type: 'string', short: 'm' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };

/** @throws if the text is not a time */
function timeOf(text: string, now: number): number {
  if (text === 'now') return now;
  const [, count, unit = ''] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const at = count === undefined ? Date.parse(text) : now - Number(count) * (UNIT_MS[unit] ?? 0);
  if (Number.isNaN(at)) throw new Error(`${text} is not a time: use now, 30m, 2h or RFC 3339.`);
  return at;
}

async function capture(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const [file, folder] = positionals;
  if (file === undefined || folder === undefined || positionals.length > 2)
    throw new Error('Name a topology file and a new folder.');
  const present = Date.now();
  const start = timeOf(values.from, present);
  const now = timeOf(values.to, present);
  if (start >= now || now > present)
    throw new Error('The window must end after it begins, by now.');
  const { content } = await readTopology(file);
  const writer = await BundleWriter.open(folder);
  try {
    const given = { writer, config: loadConfig(process.env), signal: commandInterrupt() };
    const captured = await captureSources(content, { start, now }, given);
    if (captured === undefined)
      throw new Error(
        `${file} names no live source. ${commandName('diagnose')} ${file} --capture ${folder} records what probes find.`,
      );
    process.stderr.write(missingText(captured.missing));
    if (Object.keys(captured.captured).length === 0)
      throw new Error('Nothing could be captured: no bundle was written.');
    const { name } = content as { name: string };
    const message = values.message ?? 'Analyze system state and health status.';
    const title = `Captured telemetry of ${name}`;
    await writer.incident({ title, message, ...framed(captured.frame), unread: captured.unread });
    await writer.topology(content as JsonObject);
    const counts = Object.entries(captured.captured).map(([what, count]) => `${count} ${what}`);
    console.log(`${counts.join(', ')} captured in ${folder}.`);
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

try {
  await capture(process.argv.slice(2));
} catch (error) {
  printError(wrongOption(error, OPTIONS));
  process.exitCode = 2;
}
