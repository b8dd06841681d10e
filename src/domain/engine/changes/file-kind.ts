/** What a file is to a running system. */
export type FileKind = 'test' | 'docs' | 'style' | 'ui' | 'ci' | 'deps' | 'sql' | 'config' | 'code';

const PATTERNS: readonly [FileKind, RegExp][] = [
  ['test', /(^|\/)(tests?|__tests__|testdata|spec|fixtures)\/|[._-](test|spec)\.\w+$|_test\.\w+$/i],
  ['docs', /\.(md|rst|txt|adoc)$|^docs\/|CODEOWNERS|LICENSE|CHANGELOG/i],
  ['style', /\.(css|scss|less|svg|png)$|theme\.|palette|styles?\//i],
  ['ui', /\.(tsx|jsx|vue|html|svelte|hbs)$|templates?\/|frontend\/|web\/src/i],
  [
    'ci',
    /^\.(github|circleci|buildkite)\/|\.gitlab-ci|\.travis\.yml|azure-pipelines|Jenkinsfile|\.golangci|\.eslintrc|\.prettierrc|Makefile$|\.editorconfig/i,
  ],
  [
    'deps',
    /(go\.(mod|sum)|package(-lock)?\.json|yarn\.lock|pnpm-lock|requirements.*\.txt|Pipfile|poetry\.lock|Cargo\.(toml|lock)|pom\.xml|build\.gradle|Gemfile)(\.lock)?$/i,
  ],
  ['sql', /\.sql$|migrations?\//i],
  ['config', /\.(ya?ml|toml|ini|conf|properties|env|json|tf|hcl)$|Dockerfile|charts?\/|helm/i],
];

export const fileKind = (path: string): FileKind =>
  PATTERNS.find(([, pattern]) => pattern.test(path))?.[0] ?? 'code';

/** Kinds that no running system loads. */
export const INERT: readonly FileKind[] = ['test', 'docs', 'style', 'ci'];
