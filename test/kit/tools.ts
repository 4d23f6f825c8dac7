import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that npm cannot bring. Tests that need one are skipped without it, and said to be. */
interface Tool {
  readonly name: string;
  readonly programs: readonly string[];
  readonly tests: string;
  readonly install: string;
}

const WINDOWED_CHROMIUM: Tool = {
  name: "a windowed Chromium (Debian's chromium and xvfb)",
  programs: ['chromium', 'xvfb-run'],
  tests:
    "a person's browser passes an enforcing rule, and the browser script spares it the challenge",
  install: 'apt-get install chromium xvfb',
};

const OPENSSL: Tool = {
  name: 'openssl',
  programs: ['openssl'],
  tests: "the cookie of a visitor travels on another site's form over https",
  install: 'apt-get install openssl',
};

export const hasWindowedChromium = isThere(WINDOWED_CHROMIUM);
export const hasOpenssl = isThere(OPENSSL);

export function missingTools(): readonly Tool[] {
  return [WINDOWED_CHROMIUM, OPENSSL].filter((tool) => !isThere(tool));
}

function isThere({ programs }: Tool): boolean {
  return programs.every((program) => onPath(program));
}

function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
