/**
 * A reference to a credential in an endpoint or an attribute: `${secret:NAME}`, `${env:NAME}` or
 * `${file:/PATH}`. It is resolved when a tool runs, and never stored.
 */
const REFERENCE = /\$\{(secret|env|file):([^\s{}]{1,500})\}/g;

export interface SecretReference {
  /** As it is written. */
  text: string;
  kind: 'secret' | 'env' | 'file';
  name: string;
}

/** The references in a text, in order. */
export const referencesIn = (text: string): SecretReference[] =>
  [...text.matchAll(REFERENCE)].map(([whole, kind, name = '']) => ({
    text: whole,
    kind: kind as SecretReference['kind'],
    name,
  }));

/** A text with its references replaced. */
export const replaceReferences = (text: string, by: (reference: string) => string): string =>
  text.replace(REFERENCE, by);

/**
 * An endpoint with a word in place of each reference: for what only needs its form, its host and
 * its port.
 */
export const withoutReferences = (endpoint: string): string =>
  replaceReferences(endpoint, () => 'x');
