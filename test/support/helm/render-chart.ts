import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const ROOT = join(import.meta.dirname, '../../..');
const CACHE = join(ROOT, 'node_modules/.cache/helm');
const LIBRARIES = '/usr/share/gocode';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels?: Record<string, string> };
  spec?: unknown;
}

/**
 * Whether the libraries that Helm renders with are here: Debian's golang-go, and those that
 * render.go names.
 */
export const canRender = (): boolean =>
  existsSync('/usr/bin/go') &&
  existsSync(join(LIBRARIES, 'src/github.com/Masterminds/sprig')) &&
  existsSync(join(LIBRARIES, 'src/github.com/ghodss/yaml'));

/** Renders the chart as Helm does. @throws Error with what the templates refuse */
export function renderChart(values: object): Manifest[] {
  mkdirSync(CACHE, { recursive: true });
  const file = join(CACHE, `values-${process.pid}.json`);
  writeFileSync(file, JSON.stringify(values));
  const program = join(import.meta.dirname, 'render.go');
  const chart = join(ROOT, 'deploy/helm/consilium');
  const text = execFileSync('go', ['run', program, chart, 'shop', 'prod', file], {
    encoding: 'utf8',
    stdio: 'pipe',
    env: {
      ...process.env,
      CGO_ENABLED: '0',
      GO111MODULE: 'off',
      GOPATH: LIBRARIES,
      GOCACHE: join(CACHE, 'go'),
      GOFLAGS: '',
    },
  });
  return parseAllDocuments(text, { merge: false }).flatMap((document) => {
    if (document.errors[0]) throw document.errors[0];
    const manifest = document.toJS() as Manifest | null;
    return manifest ? [manifest] : [];
  });
}
