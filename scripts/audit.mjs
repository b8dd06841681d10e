// `npm run audit`: known vulnerabilities of the dependencies in the folder where it runs, by `npm
// audit`. Fails on one of severity high or critical in a package that is installed without the
// development dependencies. All others are printed. If the registry does not answer, nothing is
// checked. `.ci/audit-exceptions.json` lists what is accepted, each for a reason and until a date:
// [{"id": "GHSA-…", "reason": "…", "until": "2027-01-31"}]
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const EXCEPTIONS = '.ci/audit-exceptions.json';
const SEVERE = new Set(['high', 'critical']);
const MOST_MS = 120_000;

const exceptions = new Map(readExceptions().map((each) => [each.id, each]));
const report = audit();
if (report.vulnerabilities) judge(report.vulnerabilities);
else console.log(`Vulnerabilities are not checked: ${report.message}`);

/** @returns the report of npm; only a `message` if it has none */
function audit() {
  const { stdout, error } = spawnSync('npm', ['audit', '--json'], {
    encoding: 'utf8',
    timeout: MOST_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  try {
    return { message: 'the registry has no report', ...JSON.parse(stdout) };
  } catch {
    return { message: error?.message ?? 'npm audit printed no report' };
  }
}

function judge(vulnerabilities) {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const isShipped = (nodes) => nodes.some((path) => packages[path]?.dev !== true);
  const today = new Date().toISOString().slice(0, 10);
  const found = Object.values(vulnerabilities).flatMap(({ name, nodes, via }) =>
    via
      // A text is the name of a package that has the vulnerability, and its own entry.
      .filter((each) => typeof each === 'object')
      .map(({ url, title, severity }) => {
        const id = url.split('/').at(-1);
        const exception = exceptions.get(id);
        const isSevere = isShipped(nodes) && SEVERE.has(severity);
        const isFault = isSevere && !(exception && today <= exception.until);
        const note = exception
          ? `; ${today <= exception.until ? 'accepted until' : 'no longer accepted since'} ${exception.until}: ${exception.reason}`
          : '';
        return { id, isFault, text: `${severity}  ${name}: ${title} (${url})${note}` };
      }),
  );
  for (const { isFault, text } of found) console.log(`${isFault ? 'FAILED' : 'noted '}  ${text}`);
  for (const id of exceptions.keys())
    if (!found.some((each) => each.id === id))
      console.log(`noted   ${EXCEPTIONS} accepts ${id}, which is not found: remove it`);
  const failed = found.filter(({ isFault }) => isFault).length;
  console.log(`Vulnerabilities: ${found.length} known, ${failed} to be fixed or accepted.`);
  if (failed > 0) process.exitCode = 1;
}

/** @throws Error if an exception has no reason or no date */
function readExceptions() {
  if (!existsSync(EXCEPTIONS)) return [];
  const all = JSON.parse(readFileSync(EXCEPTIONS, 'utf8'));
  for (const { id, reason, until } of all)
    if (!id || !reason || !/^\d{4}-\d\d-\d\d$/.test(until ?? ''))
      throw new Error(`${EXCEPTIONS}: each has an id, a reason and a date "until": ${id}`);
  return all;
}
