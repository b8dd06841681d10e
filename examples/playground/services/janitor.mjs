import { rmSync } from 'node:fs';
import { dieWithParent } from './die-with-parent.mjs';

// Removes a folder when the playground is gone, in whatever way it went.
const [folder] = process.argv.slice(2);
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
dieWithParent();
process.send?.({ listening: 0 });
