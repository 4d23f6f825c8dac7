import { agents } from './agents.ts';
import { alerts } from './alerts.ts';
import { check } from './check.ts';
import type { Command } from '../command-line/command.ts';
import { createDecideCommand } from './decide.ts';
import { createCompletion } from './completion.ts';
import { crawlers } from './crawlers.ts';
import { decisions } from './decisions.ts';
import { doctor } from './doctor.ts';
import { explain } from './explain.ts';
import { exportEvents } from './export.ts';
import { forget } from './forget.ts';
import { init } from './init.ts';
import { keys } from './keys.ts';
import { query } from './query.ts';
import { replay } from './replay.ts';
import { start } from './start.ts';
import { top } from './top.ts';
import { why } from './why.ts';

const otherCommands: readonly Command[] = [
  ...[
    init,
    start,
    check,
    explain,
    why,
    query,
    exportEvents,
    forget,
    replay,
    keys,
    crawlers,
    agents,
  ],
  ...[createDecideCommand('block'), createDecideCommand('allow'), decisions],
  ...[doctor, top, alerts],
];

/** Every command of `guard`, in the order in which --help lists them. */
export const commands: readonly Command[] = [
  ...otherCommands,
  createCompletion((completion) => [...otherCommands, completion]),
];
