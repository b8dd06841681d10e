import type { Config } from '../../config/config.js';
import type { Egress } from '../http/source-server.js';

/** Where sources may be asked, and what credentials are read from. */
export interface SourceReach {
  egress: Egress;
  secretOf: Config['secretOf'];
}
