import type { Config } from '../../config/config.js';
import type { Egress } from '../http/source-server.js';

/** The allowed targets of sources, and where their credentials are read. */
export interface SourceReach {
  egress: Egress;
  secretOf: Config['secretOf'];
}
