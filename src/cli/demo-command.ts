import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { Client } from '../client/index.js';
import { unlessAborted } from '../local/interrupt.js';
import { BundleWriter } from './capture/bundle-writer.js';
import { captureRun, replayHint } from './capture/capture-run.js';
import { commandName } from './command-name.js';
import { followRun } from './follow-run.js';
import { commandInterrupt } from './command-interrupt.js';
import { printError } from './print-error.js';
import { diagnoseAndRepair } from './approval/diagnose-and-repair.js';
import { INCIDENTS, secondAct } from './second-act.js';
import { wrongOption } from './wrong-option.js';

type Stack = 'small' | 'full';

/** What `examples/playground/playground.mjs` exports. */
interface Playground {
  FAULTS: Record<string, { means: string; node: string | null }>;
  stackOf(fault: string): Stack;
  startPlayground(options: {
    fault: string;
    stack: Stack;
    say?: (line: string) => void;
  }): Promise<{ topology: { id: number }; sourcesFile?: string; stop: () => Promise<void> }>;
}

const MESSAGE = 'Customers say that they cannot order. Analyze system state and health status.';

const playground = (await import(
  new URL('../../examples/playground/playground.mjs', import.meta.url).href
)) as Playground;

const usage = `Starts a small shop of real processes, injects a fault and diagnoses it.

Usage: ${commandName('demo')} [--fault NAME] [--stack small|full] [--repair [--yes]] [--keep] [--capture DIR]

  --fault NAME   the fault (default: redis-full, and then a recorded incident)
${Object.entries(playground.FAULTS)
  .map(([name, { means }]) => `                   ${name.padEnd(20)} ${means}`)
  .join('\n')}
  --stack NAME   small, or full: with PostgreSQL, RabbitMQ, Prometheus, Alertmanager and git, as far as
                 they are found (default: what the fault needs)
  --repair       ask for a repair when the cause is found, and verify it (default fault: inventory-down)
  --yes          with --repair: approve without a question (or CONSILIUM_APPROVE=yes)
  --keep         keep the shop and the service running until Ctrl-C, and print commands to try
  --capture DIR  write the measurements as an incident bundle, for a later offline diagnosis
  --help         print this help
`;

interface Options {
  fault: string;
  stack: Stack;
  /** 2: a recorded incident follows the live one. */
  acts: 1 | 2;
  keep: boolean;
  /** Asks for repairs; `yes`: approves them without a question. */
  repair: { yes: boolean } | undefined;
  capture: BundleWriter | undefined;
}

/**
 * @returns the exit code: 0 when the run completed (and verified the repair), 1 when it did not,
 *   130 after Ctrl-C
 */
async function demo({ fault, stack, keep, repair, capture, acts }: Options): Promise<number> {
  // Loaded only now: the list of faults needs no service.
  const { startLocalService } = await import('./local-service.js');
  // Created only now: before, there is nothing to stop, and loading modules would delay Ctrl-C.
  const interrupt = commandInterrupt();
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const started: (() => Promise<void>)[] = [];
  try {
    say(`Starting the shop with the fault ${fault}: ${playground.FAULTS[fault]?.means} …`);
    // Resources that an interrupted start leaves end with this process.
    const shop = await unlessAborted(playground.startPlayground({ fault, stack, say }), interrupt);
    started.push(shop.stop);
    say('Starting a private Redis and the service …');
    const service = await startLocalService({
      logLevel: process.env['LOG_LEVEL'] ?? 'error',
      say,
      interrupt,
      variables: {
        INCIDENTS_DIR: INCIDENTS,
        ...(shop.sourcesFile !== undefined && { SOURCES_FILE: shop.sourcesFile }),
      },
    });
    started.push(service.close);
    if (interrupt.aborted) return 130;

    const client = new Client(service.url);
    await client.createTopology(shop.topology);
    say(`Triggering a diagnosis over HTTP, at ${service.url}\n`);
    const asked = {
      topologyId: shop.topology.id,
      userMessage: MESSAGE,
      screen: process.stdout,
      interrupt,
    };
    const outcome = repair
      ? await diagnoseAndRepair(client, { ...asked, ...repair, notes: process.stdout })
      : await followRun(client, asked);
    if (interrupt.aborted) return 130;
    if (capture) {
      await captureRun(client, outcome.runId, capture);
      say(replayHint(capture));
    }
    if (acts === 2) await secondAct(client, process.stdout, interrupt);
    if (interrupt.aborted) return 130;
    if (keep) {
      say(commandsToTry(service, shop.topology.id, outcome.runId));
      await once(interrupt, 'abort');
    } else
      say(
        `\nStopping the shop and the service. \`${commandName('demo')} --help\` lists other faults.`,
      );
    const isDone = outcome.end === 'lifecycle.completed';
    return isDone && (!repair || outcome.verdict === 'healthy') ? 0 : 1;
  } catch (error) {
    if (interrupt.aborted) return 130;
    printError(error);
    return 1;
  } finally {
    for (const stop of started.reverse()) await stop();
  }
}

function commandsToTry(
  { url, consoleUrl }: { url: string; consoleUrl: string | undefined },
  topologyId: number,
  runId: string,
): string {
  const base = `${url}/api/service/v1`;
  const json = "-H 'Content-Type: application/json'";
  const stream = "-H 'Accept: text/event-stream'";
  const page = consoleUrl && `\nThe run in the console: ${consoleUrl}/runs/${runId}\n`;
  return `${page ?? ''}
All of it is still running. To try, in another terminal:

  # trigger another run and follow it
  curl -N ${base}/executions/trigger ${json} ${stream} \\
    -d '${JSON.stringify({ topologyId, userMessage: 'Orders fail.' })}'

  # the events of the run above, from where a lost connection left off
  curl -N ${base}/executions/${runId}/events ${stream} -H 'Last-Event-ID: 10'

  # the run with its report; the list of runs; the topology
  curl ${base}/executions/${runId}
  curl ${base}/executions
  curl ${base}/topologies/${topologyId}

  # cancel a run (this one has ended, and so it says)
  curl ${base}/executions/cancel ${json} -d '${JSON.stringify({ runId })}'

  # the API, to click on
  ${url}/docs

Ctrl-C ends everything.`;
}

const OPTIONS = {
  fault: { type: 'string' },
  stack: { type: 'string' },
  repair: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  capture: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** @returns the exit code */
export async function demoCommand(): Promise<number> {
  try {
    const { values } = parseArgs({
      options: OPTIONS,
    });
    if (values.help) {
      process.stdout.write(usage);
      return 0;
    }
    const { keep, capture } = values;
    const fault = values.fault ?? (values.repair ? 'inventory-down' : 'redis-full');
    const yes = values.yes || process.env['CONSILIUM_APPROVE'] === 'yes';
    if (values.yes && !values.repair) throw new Error('--yes approves repairs: it needs --repair.');
    if (values.repair && !yes && !process.stdin.isTTY)
      throw new Error('--repair asks before a repair, and there is no terminal: add --yes.');
    const { stack } = values;
    if (stack !== undefined && stack !== 'small' && stack !== 'full')
      throw new Error('--stack is small or full.');
    if (Object.hasOwn(playground.FAULTS, fault))
      return await demo({
        fault,
        stack: stack ?? playground.stackOf(fault),
        keep,
        acts: values.fault === undefined && !values.repair ? 2 : 1,
        repair: values.repair ? { yes } : undefined,
        capture: capture === undefined ? undefined : await BundleWriter.open(capture),
      });
    console.error(`There is no fault ${JSON.stringify(fault)}.\n\n${usage}`);
  } catch (error) {
    printError(wrongOption(error, OPTIONS));
    console.error(`\n${usage}`);
  }
  return 2;
}
