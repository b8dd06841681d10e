import fc from 'fast-check';

const CODE_POINTS = 0x11_0000;
const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

const codePointAt = (index: number): string =>
  String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES);

function indexOf(character: unknown): number {
  const found = typeof character === 'string' ? (character.codePointAt(0) ?? 0) : 0;
  const index = found < FIRST_SURROGATE ? found : found - SURROGATES;
  if (codePointAt(index) !== character) throw new Error('not one code point');
  return index;
}

/**
 * Any code point but a surrogate. fast-check's own unit `binary` generates the same, but lists all
 * 1.1 million first, which takes a second in each test file.
 */
const anyCharacter = fc.nat(CODE_POINTS - SURROGATES - 1).map(codePointAt, indexOf);

/** Text of any code points but surrogates. */
export const anyText = (constraints: fc.StringSharedConstraints = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: anyCharacter });
