import { rmSync } from 'node:fs';
import { dieWithParent } from './die-with-parent.mjs';

// Removes a folder after the playground has ended in any way.
const [folder] = process.argv.slice(2);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
dieWithParent();
process.send?.({ listening: 0 });
