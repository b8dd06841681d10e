/** How TypeScript becomes JavaScript where no build is wanted: under Jest and under scripts/ts.mjs. */
export const swcOptions = {
  jsc: {
    target: 'es2023',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    keepClassNames: true,
  },
  module: { type: 'es6' },
};
