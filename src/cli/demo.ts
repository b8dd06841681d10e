import { demoCommand } from './demo-command.js';

process.exit(await demoCommand());
