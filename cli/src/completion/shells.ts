import type { Command } from '../command-line/command.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { zshCompletion } from './zsh.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

export function completionFor(shell: Shell, commands: readonly Command[]): string {
  switch (shell) {
    case 'bash':
      return bashCompletion(commands);
    case 'zsh':
      return zshCompletion(commands);
    case 'fish':
      return fishCompletion(commands);
  }
}
