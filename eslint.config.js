import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** What Nest injects: parameters of constructors and factories. */
const injected =
  ':matches(MethodDefinition[kind="constructor"], Property[key.name="useFactory"]) > *';
/** A row of a table test, or a callback of a library. */
const callback = 'CallExpression > *';
const functions = ':matches(:function, TSEmptyBodyFunctionExpression)';
const parameterLimits = (exempt) => [
  'error',
  {
    selector: `${injected}[params.length>5]`,
    message: 'At most five dependencies: split the class.',
  },
  {
    selector: `${functions}[params.length>4]:not(${exempt})`,
    message: 'At most four positional parameters: pass an object.',
  },
];

export default defineConfig(
  { ignores: ['**/dist', 'node_modules', 'test/contract', '.data'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: [
          './tsconfig.check.json',
          './test/browser/pages/tsconfig.json',
          './console/tsconfig.json',
        ],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      'no-console': 'error',
      'no-restricted-syntax': parameterLimits(injected),
    },
  },
  { files: ['src/cli/**', 'bench/**', 'test/**'], rules: { 'no-console': 'off' } },
  {
    files: ['**/*.test.ts'],
    rules: { 'no-restricted-syntax': parameterLimits(`:matches(${injected}, ${callback})`) },
  },
);
