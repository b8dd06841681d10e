/** Which folder may import which; see ARCHITECTURE.md. `npm run check` enforces it. */

const TEST = '\\.test\\.ts$';
const BUILT = '(^|/)dist/';

/** A folder of src/ that may import only these others, besides itself. */
const only = (from, ...to) => ({
  name: `imports-of-${from.replace('/', '-')}`,
  comment: `src/${from} may import of ours only: ${[from, ...to].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${from}/`, pathNot: TEST },
  to: {
    path: '^(src|test|bench|examples|scripts)/',
    pathNot: `^src/(${[from, ...to].join('|')})/`,
  },
});

const PORTS = ['event-log', 'queues', 'models', 'sources'];
const GROUND = ['lib', 'domain', 'engine', 'config', 'redis'];

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Circular imports crash at load',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'resolvable',
      comment: 'Imports something that is not there (what is built is there only after a build)',
      severity: 'error',
      from: { pathNot: '^bench/' },
      to: { couldNotResolve: true, pathNot: BUILT },
    },
    {
      name: 'resolvable-in-bench',
      comment:
        'Imports a file that is not there; the packages of bench/ are its own and installed only to run it',
      severity: 'error',
      from: { path: '^bench/' },
      to: { couldNotResolve: true, path: '^\\.', pathNot: BUILT },
    },
    {
      name: 'declared',
      comment:
        'A package that the service runs with must be in dependencies, not in devDependencies',
      severity: 'error',
      from: { path: '^src/', pathNot: TEST },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-tests',
      comment: 'Code does not import tests',
      severity: 'error',
      from: { pathNot: [TEST, '^(test|bench)/'] },
      to: { path: [TEST, '^(test|bench)/'] },
    },
    {
      name: 'domain-is-pure',
      comment:
        'src/domain, src/engine, src/lib and src/formats are pure and synchronous: no Node built-in, and no package but zod',
      severity: 'error',
      from: { path: '^src/(domain|engine)/', pathNot: TEST },
      to: {
        dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'],
        pathNot: '^node_modules/zod/',
      },
    },
    {
      name: 'one-dialer',
      comment: 'Tools connect through src/tools/net, which checks every address (docs/security.md)',
      severity: 'error',
      from: { path: '^src/tools/', pathNot: [TEST, '^src/tools/(net|egress|dns-lookup)/'] },
      to: {
        path: '^(node:)?(net|tls|https?|http2|dgram|dns|undici)(/|$)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'telemetry-is-lazy',
      comment:
        'OpenTelemetry is loaded only if traces are on: one file imports it, and is imported at run time',
      severity: 'error',
      from: { path: '^src/', pathNot: TEST },
      to: { path: '^src/ops/traces/otlp-exporter\\.ts$', dynamic: false },
    },
    {
      name: 'one-file-knows-opentelemetry',
      comment:
        'Its packages change often: src/ops/traces/otlp-exporter.ts is the only file that imports them',
      severity: 'error',
      from: { path: '^src/', pathNot: [TEST, '^src/ops/traces/otlp-exporter\\.ts$'] },
      to: { path: '^node_modules/@opentelemetry/' },
    },
    only('lib'),
    only('domain', 'lib'),
    only('engine', 'lib', 'domain'),
    only('formats', 'lib', 'domain'),
    only('config', 'lib', 'domain', 'formats'),
    only('redis', 'lib', 'domain', 'config'),
    ...PORTS.map((port) => only(port, ...GROUND, 'http')),
    only('tools', ...GROUND, 'http', 'prompts', 'sources'),
    only('behaviours', ...GROUND, 'http'),
    only('notifications', ...GROUND, 'http', 'prompts'),
    only('prompts', ...GROUND, 'http'),
    only('http', ...GROUND),
    only('ops/telemetry', ...GROUND),
    only('ops/system', ...GROUND, 'http'),
    only('ops/traces', ...GROUND, 'ops/telemetry', 'ops/system', 'event-log', 'models'),
    only('ops/health', ...GROUND, 'http', 'ops/system', 'event-log', 'queues'),
    only(
      'ops/metrics',
      ...GROUND,
      'http',
      'ops/telemetry',
      'ops/system',
      'event-log',
      'queues',
      'streams',
      'models',
      'runs',
    ),
    only('ops/status', ...GROUND, 'http', 'ops/system', 'event-log', 'queues', 'streams', 'models'),
    only('streams', ...GROUND, 'formats', 'event-log'),
    only('topologies', ...GROUND, 'http', ...PORTS, 'tools', 'behaviours'),
    only(
      'runs/http',
      ...GROUND,
      ...PORTS,
      'tools',
      'behaviours',
      'http',
      'runs',
      'topologies',
      'streams',
      'formats',
      'ops/telemetry',
    ),
    only(
      'runs',
      ...GROUND,
      ...PORTS,
      'tools',
      'behaviours',
      'notifications',
      'topologies',
      'streams',
      'formats',
      'http',
      'ops/telemetry',
    ),
    {
      name: 'runs-stand-without-http',
      comment: 'Nothing but src/runs/http and the top imports src/runs/http',
      severity: 'error',
      from: { path: '^src/', pathNot: [TEST, '^src/runs/http/', '^src/[^/]+$'] },
      to: { path: '^src/runs/http/' },
    },
    only(
      'agents',
      ...GROUND,
      ...PORTS,
      'tools',
      'behaviours',
      'notifications',
      'runs',
      'topologies',
      'ops/telemetry',
    ),
    only(
      'conversations',
      ...GROUND,
      ...PORTS,
      'tools',
      'behaviours',
      'http',
      'runs',
      'topologies',
      'streams',
      'formats',
      'ops/telemetry',
    ),
    only('client', 'lib', 'domain', 'formats'),
    only('alerts', ...GROUND, 'ops/telemetry', 'event-log', 'http', 'runs', 'topologies'),
    only('reports', ...GROUND, 'ops/telemetry', 'event-log', 'http', 'alerts', 'tools/egress'),
    only('schedules', ...GROUND, 'event-log', 'http', 'runs', 'topologies'),
    only('mcp', 'lib', 'domain', 'config', 'formats', 'client', 'http'),
    only('local'),
    {
      name: 'imports-of-console',
      comment:
        'The web console imports of src only src/client and types of src/domain, src/lib and src/formats',
      severity: 'error',
      from: { path: '^console/' },
      to: {
        path: '^(src|test|bench|examples|scripts)/',
        pathNot: '^src/(client|domain|lib|formats)/',
      },
    },
    {
      name: 'only-the-top-starts-things',
      comment: 'Only the files at the top of src bind things together and start them',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: [TEST, '^src/(cli|local)/'] },
      to: { path: '^src/(cli|local)/|^src/[^/]+$' },
    },
    {
      name: 'cli-stands-alone',
      comment:
        'The terminal tools speak HTTP with the service; they may start it, use its pure parts and read live sources, no more',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: TEST },
      to: {
        path: '^src/',
        pathNot:
          '^src/(cli|client|local|lib|domain|engine|formats|config|mcp|sources|tools/egress)/|^src/http/access/api-key\\.ts$|^src/(service|main|check-files|check-setup|check-redis|restore-backup)\\.ts$',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage|packages/client/dist)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.json', '.css'],
    },
    progress: { type: 'none' },
  },
};
