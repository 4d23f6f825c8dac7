import { execFileSync } from 'node:child_process';

/** The one installed browser that every driver of Chromium uses. */
export const CHROMIUM = '/usr/bin/chromium';

/**
 * The switches of a disguised browser. They give it no automation feature, an ordinary User-Agent and a usual window.
 */
export function disguiseFlags(): string[] {
  return [
    '--disable-blink-features=AutomationControlled',
    `--user-agent=${plainUserAgent()}`,
    '--window-size=1366,768',
    '--lang=en-US',
  ];
}

/** A script as users of drivers run it at the start of every document, to hide the driver. */
export const DISGUISE_SCRIPT = `
  Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false, configurable: true });
  window.chrome = window.chrome || { runtime: {}, app: {}, csi() {}, loadTimes() {} };
  Object.defineProperty(Navigator.prototype, 'languages', { get: () => ['en-US', 'en'] });
`;

/** Returns the User-Agent that the installed Chromium sends when it has a window. */
export function plainUserAgent(): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chromiumMajor()}.0.0.0 Safari/537.36`;
}

let knownVersion: string | undefined;

export function chromiumMajor(): string {
  knownVersion ??= /(\d+)\./.exec(
    execFileSync(CHROMIUM, ['--version'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )?.[1];
  if (knownVersion === undefined) throw new Error('this Chromium does not print its version');
  return knownVersion;
}
