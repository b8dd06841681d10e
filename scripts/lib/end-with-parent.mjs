// `node --import …/end-with-parent.mjs PROGRAM`: the program ends when its parent does.
import { endWithParent } from './parent.mjs';

endWithParent();
