// `node --import …/end-with-parent.mjs PROGRAM`: ends PROGRAM when its parent process ends.
import { endWithParent } from './parent.mjs';

endWithParent();
