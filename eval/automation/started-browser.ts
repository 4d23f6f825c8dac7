import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  chromiumWith,
  type DeskBrowser,
  firefoxWith,
} from '../../test/kit/browsers/desk-browsers.ts';
import { freePort } from '../../test/kit/free-port.ts';
import { poll, send } from '../../test/kit/http.ts';
import { environmentOn } from './setups.ts';
import type { BrowserResources } from './tool.ts';

/** The time limit, in milliseconds, until a browser on a busy machine has opened its port. */
const START_MS = 30_000;

/** A browser with the command line of a person's browser, and a port for a driver. */
export interface StartedBrowser {
  /** The URL of a WebSocket, or the port of Marionette. */
  readonly endpoint: string;
  /** Ends all processes of the browser. */
  close(): Promise<void>;
}

/**
 * Starts Chromium with a debugging port, and without the switches that drivers add. The port has a fixed number,
 * because Chromium itself sets `navigator.webdriver` for `--remote-debugging-port=0` and for a pipe.
 */
export async function startChromium(
  resources: BrowserResources,
  ...switches: string[]
): Promise<StartedBrowser> {
  const port = await freePort();
  const browser = chromiumWith({ switches: [`--remote-debugging-port=${port}`, ...switches] });
  return start(browser, resources, async () => {
    const { body } = await send(`http://127.0.0.1:${port}/json/version`);
    return (JSON.parse(body) as { webSocketDebuggerUrl: string }).webSocketDebuggerUrl;
  });
}

/** Starts Firefox with a port for Marionette. It has a person's preferences and the given preferences. */
export function startMarionette(
  resources: BrowserResources,
  switches: readonly string[],
  preferences: Readonly<Record<string, boolean>>,
): Promise<StartedBrowser> {
  const browser = firefoxWith({
    switches: ['--marionette', '--remote-allow-system-access', ...switches],
    preferences: { 'marionette.port': 0, ...preferences },
  });
  return start(browser, resources, () =>
    readFile(join(resources.profile, 'MarionetteActivePort'), 'utf8'),
  );
}

/** Starts Firefox with a port for WebDriver BiDi and a person's preferences. */
export function startBidi(resources: BrowserResources): Promise<StartedBrowser> {
  const switches = ['--remote-debugging-port=0', '--remote-allow-system-access'];
  return start(firefoxWith({ switches }), resources, async () => {
    const text = await readFile(join(resources.profile, 'WebDriverBiDiServer.json'), 'utf8');
    return `ws://127.0.0.1:${(JSON.parse(text) as { ws_port: number }).ws_port}/session`;
  });
}

/** Starts a browser, and waits for its port. `endpointOf` rejects until the browser has opened the port. */
async function start(
  { program, prepare }: DeskBrowser,
  resources: BrowserResources,
  endpointOf: () => Promise<string>,
): Promise<StartedBrowser> {
  // The browser has a separate process group, so that all its processes can be ended.
  const child = spawn(program, [...(await prepare(resources.profile))], {
    env: { ...environmentOn(resources), HOME: resources.profile },
    stdio: 'ignore',
    detached: true,
  });
  const exitEvent = once(child, 'exit');
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      process.kill(-child.pid, 'SIGTERM');
      await exitEvent;
    }
  };
  try {
    const endpoint = await poll(
      () => endpointOf().catch(() => ''),
      (found) => found !== '',
      START_MS,
    );
    return { endpoint, close };
  } catch (error) {
    await close();
    throw error;
  }
}
