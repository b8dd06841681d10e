/**
 * Whether the faults last as long as an outage does, and races are as many as it takes to believe
 * in them: `npm run test:faults`. `npm test` has the same tests with shorter ones.
 */
const LONG = process.env['FAULTS'] === 'long';

export const lasting = <T>(short: T, long: T): T => (LONG ? long : short);
