import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { DeskBrowser, RefusedFeature } from './desk-browsers.ts';

const run = promisify(execFile);

/** The time limit for showing the window on a slow machine. */
const WINDOW_MS = 30_000;
/** The time limit, on a busy machine, until the title bar changes after an address was typed. */
const LOADING_MS = 12_000;
/** An empty window accepts keys a moment after it appears. */
const SETTLE_MS = 1_500;

/** A point that is not on a link, button or field of any screen, in pixels from the top left. */
const EMPTY_SPOT = ['30', '600'];

/** The actions of a person in a browser, by keyboard and mouse and without a driver. */
export interface Desk {
  /**
   * The title of the page in front. Undefined while the title bar shows an address, an empty tab or the browser's name.
   */
  title(): Promise<string | undefined>;
  /**
   * Types the address. When the title bar does not change, the window did not accept keys yet, so the address is typed
   * again.
   */
  goTo(url: string): Promise<void>;
  /** Presses keys by their X names, such as `Return` or `ctrl+Tab`. */
  press(...keys: string[]): Promise<void>;
  moveMouse(x: number, y: number): Promise<void>;
  /**
   * Selects and copies the whole page, types the address and pastes the text after it. So the server of the address
   * gets the text as the end of a URL, percent-encoded and without line ends.
   */
  pasteBehind(url: string): Promise<void>;
  /** Ends every process of the browser. */
  close(): Promise<void>;
}

type Xdotool = (...args: string[]) => Promise<string>;

/** Opens the browser with one tab for each of `urls`. Resolves when its window is visible. */
export async function openAtDesk(
  browser: DeskBrowser,
  place: { readonly profile: string; readonly display: string },
  {
    urls = [],
    refused,
  }: { readonly urls?: readonly string[]; readonly refused?: RefusedFeature } = {},
): Promise<Desk> {
  const env = { ...environmentOf(place), ...browser.env };
  const args = await browser.prepare(place.profile, refused);
  // The program starts a process group, so that all processes of the browser can be ended.
  const child = spawn(browser.program, [...args, ...urls], {
    env,
    stdio: 'ignore',
    detached: true,
  });
  const exit = once(child, 'exit');
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      process.kill(-child.pid, 'SIGTERM');
      await exit;
    }
  };
  const xdotool: Xdotool = async (...rest) => (await run('xdotool', rest, { env })).stdout.trim();
  try {
    const window = await openedWindow(xdotool, browser.windowClass);
    // When a URL was opened, the loaded page shows that the window accepts keys.
    if (urls.length === 0) await wait(SETTLE_MS);
    return { ...actionsIn(window, browser, xdotool), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function actionsIn(window: string, browser: DeskBrowser, xdotool: Xdotool): Omit<Desk, 'close'> {
  const bar = () => xdotool('getwindowname', window);
  const press: Desk['press'] = async (...keys) => {
    await xdotool('windowfocus', '--sync', window);
    await xdotool('key', '--clearmodifiers', '--delay', '60', ...keys);
  };
  const type = (text: string) => xdotool('type', '--delay', '15', text);
  return {
    press,
    async title() {
      const barText = await bar();
      const title = barText.replace(browser.titleSuffix, '');
      return title === barText || /^(New Tab|Untitled|about:|https?:|[\w.]+:\d+)/.test(title)
        ? undefined
        : title;
    },
    async goTo(url) {
      const barBefore = await bar();
      for (let tries = 0; tries < 3; tries += 1) {
        await xdotool('mousemove', '300', '200');
        await press('ctrl+l');
        await type(url);
        await press('Return');
        const deadlineMs = Date.now() + LOADING_MS;
        while (Date.now() < deadlineMs) {
          if ((await bar()) !== barBefore) return;
          await wait(200);
        }
      }
    },
    async moveMouse(x, y) {
      await xdotool('mousemove', String(x), String(y));
    },
    async pasteBehind(url) {
      await xdotool('mousemove', ...EMPTY_SPOT, 'click', '1');
      await press('ctrl+a', 'ctrl+c', 'ctrl+l');
      await type(url);
      await press('ctrl+v', 'Return');
    },
  };
}

/**
 * The environment has only the paths of programs and fonts from this process. The profile folder is also the home
 * folder.
 */
function environmentOf({ profile, display }: { profile: string; display: string }) {
  const env: Record<string, string> = { LANG: 'en_US.UTF-8', DISPLAY: display, HOME: profile };
  for (const name of ['PATH', 'TMPDIR', 'FONTCONFIG_PATH']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return env;
}

async function openedWindow(xdotool: Xdotool, windowClass: string): Promise<string> {
  const deadlineMs = Date.now() + WINDOW_MS;
  while (Date.now() < deadlineMs) {
    // xdotool ends with exit code 1 while there is no window.
    const windowIds = await xdotool('search', '--onlyvisible', '--class', windowClass).catch(
      () => '',
    );
    for (const id of windowIds.split('\n').filter(Boolean)) {
      const name = await xdotool('getwindowname', id).catch(() => '');
      if (name !== '') {
        // Without a window manager, the window does not get the keyboard by itself.
        await xdotool('windowfocus', '--sync', id);
        return id;
      }
    }
    await wait(200);
  }
  throw new Error(`no window of ${windowClass} within ${WINDOW_MS} ms`);
}
