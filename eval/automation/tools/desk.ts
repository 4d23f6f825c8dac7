import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { settled } from '../settled.ts';
import { environmentOn } from '../setups.ts';
import type { Ending, Place } from '../tool.ts';

const run = promisify(execFile);

/** Time a slow machine may take to show the browser's window. */
const WINDOW_MS = 30_000;
/** Time in which the title bar of a window that has taken the address changes, on a busy machine too. */
const LOADING_MS = 12_000;

type Xdotool = (...args: string[]) => Promise<string>;

/** A browser as a person has it on the desk: a window, a keyboard, a mouse, and no driver. */
export interface DeskBrowser {
  readonly program: string;
  readonly args: readonly string[];
  /** X window class of its windows. */
  readonly windowClass: string;
  /** What it appends to a page's title. */
  readonly titleSuffix: RegExp;
}

/** Opens the browser, types the address, presses Enter, moves the mouse, and reads the title bar. */
export async function visitAtDesk(
  browser: DeskBrowser,
  url: string,
  place: Place,
): Promise<Ending> {
  const env = environmentOn(place);
  const child = spawn(browser.program, [...browser.args], {
    env: { ...env, HOME: place.profile },
    stdio: 'ignore',
    // A group of its own, so that all of the browser's processes can be ended.
    detached: true,
  });
  const exited = once(child, 'exit');
  const xdotool: Xdotool = async (...args) => (await run('xdotool', args, { env })).stdout.trim();
  try {
    const window = await openedWindow(xdotool, browser.windowClass);
    await typeAddress(xdotool, window, url);
    await xdotool('mousemove', '420', '380');
    return await settled(async () => {
      const bar = await xdotool('getwindowname', window);
      const title = bar.replace(browser.titleSuffix, '');
      // Before the page has a title, the bar shows its address, an empty tab, or the browser's name.
      return title === bar || /^(New Tab|Untitled|about:|https?:|[\w.]+:\d+)/.test(title)
        ? undefined
        : title;
    });
  } finally {
    if (child.exitCode === null && child.pid !== undefined) {
      process.kill(-child.pid, 'SIGTERM');
      await exited;
    }
  }
}

/** Types it again when the title bar shows that the window was not yet taking keys. */
async function typeAddress(xdotool: Xdotool, window: string, url: string): Promise<void> {
  const before = await xdotool('getwindowname', window);
  for (let tries = 0; tries < 3; tries += 1) {
    await xdotool('windowfocus', '--sync', window);
    await xdotool('mousemove', '300', '200');
    await xdotool('key', '--clearmodifiers', 'ctrl+l');
    await xdotool('type', '--delay', '15', url);
    await xdotool('key', 'Return');
    const until = Date.now() + LOADING_MS;
    while (Date.now() < until) {
      if ((await xdotool('getwindowname', window)) !== before) return;
      await wait(200);
    }
  }
}

async function openedWindow(xdotool: Xdotool, windowClass: string): Promise<string> {
  const until = Date.now() + WINDOW_MS;
  while (Date.now() < until) {
    // xdotool exits with 1 while there is none.
    const found = await xdotool('search', '--onlyvisible', '--class', windowClass).catch(() => '');
    const ids = found.split('\n').filter(Boolean);
    for (const id of ids) {
      const name = await xdotool('getwindowname', id).catch(() => '');
      if (name !== '') {
        // The window takes keys a moment after it is there.
        await wait(1_500);
        return id;
      }
    }
    await wait(200);
  }
  throw new Error(`no window of ${windowClass} within ${WINDOW_MS} ms`);
}
