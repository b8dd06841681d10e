/** The role of a file in a running system. */
export type FileKind =
  | 'test'
  | 'docs'
  | 'dashboard'
  | 'style'
  | 'ui'
  | 'ci'
  | 'deps'
  | 'sql'
  | 'logging'
  | 'config'
  | 'code';

const PATTERNS: readonly [FileKind, RegExp][] = [
  [
    'test',
    /(^|\/)(tests?|__tests__|testdata|spec|__fixtures__|fixtures|__mocks__|__snapshots__)\/|[._-](test|spec)\.\w+$|_test\.\w+$/i,
  ],
  ['docs', /\.(md|rst|txt|adoc)$|^docs\/|CODEOWNERS|LICENSE|CHANGELOG/i],
  ['style', /\.(css|scss|less|svg|png)$|theme\.|palette|styles?\//i],
  ['dashboard', /(^|\/)dashboards?\/.+\.(json|ya?ml|jsonnet)$/i],
  // Translated texts for people.
  [
    'ui',
    /(^|\/)(i18n|l10n|locales?|translations?|lang)\/.+\.(json|ya?ml|properties|toml|php)$|\.(po|pot|xliff|xlf|arb|strings|resx)$|(^|\/)messages(_\w{2,5})?\.properties$/i,
  ],
  ['ui', /\.(tsx|jsx|vue|html|svelte|hbs)$|templates?\/|frontend\/|web\/src/i],
  [
    'ci',
    /^\.(github|circleci|buildkite)\/|\.gitlab-ci|\.travis\.yml|azure-pipelines|Jenkinsfile|\.golangci|\.eslintrc|\.prettierrc|Makefile$|\.editorconfig/i,
  ],
  [
    'deps',
    /(go\.(mod|sum)|package(-lock)?\.json|yarn\.lock|pnpm-lock|requirements.*\.txt|Pipfile|poetry\.lock|Cargo\.(toml|lock)|pom\.xml|build\.gradle|Gemfile)(\.lock)?$/i,
  ],
  [
    'logging',
    /logrotate|(^|\/)(log4j2?|logback|logging)[\w-]*\.(ya?ml|conf|json|ini|properties|toml|xml)$/i,
  ],
  ['sql', /\.sql$|migrations?\//i],
  ['config', /\.(ya?ml|toml|ini|conf|properties|env|json|tf|hcl)$|Dockerfile|charts?\/|helm/i],
];

export const fileKind = (path: string): FileKind =>
  PATTERNS.find(([, pattern]) => pattern.test(path))?.[0] ?? 'code';

/** Kinds that no running system loads. */
export const INERT: readonly FileKind[] = ['test', 'docs', 'dashboard', 'style', 'ci'];
