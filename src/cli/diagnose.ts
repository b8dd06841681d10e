import { diagnoseCommand } from './diagnose-command.js';

process.exit(await diagnoseCommand());
