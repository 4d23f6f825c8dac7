import { inCategory, conclusive, note, outcome, strong, weak } from '../reason-entry.ts';

/** A real browser that an automation tool drives (contract 2.2). */
export const automatedBrowser = inCategory('automated_browser', {
  headless_user_agent: conclusive(
    'name',
    'The User-Agent or its client hints name a headless browser or automation tool.',
  ),
  webdriver: conclusive('driver', 'The browser reported that it is controlled by automation.'),
  automation_globals: conclusive('driver', 'Objects of an automation tool were found in the page.'),
  webdriver_replaced: strong(
    'driver',
    'The property that tells whether the browser is automated was replaced.',
  ),
  headless_browser: conclusive(
    'window',
    'The browser showed traits that only a browser without a window has.',
  ),
  disguised_natives: conclusive(
    'driver',
    'Functions that say what the browser is were replaced, and the replacement was hidden.',
  ),
  automation_flags: conclusive(
    'driver',
    'The browser was started with a switch that automation tools put on its command line.',
  ),
  pointer_missing: strong(
    'window',
    'The browser has a window with bars, but no mouse, pen or touch screen.',
  ),
  page_driven: conclusive(
    'driver',
    'A script ran in the page in the way of automation drivers, while something listened to the console.',
  ),
  activation_without_input: strong(
    'driver',
    'The browser said that a person had used the page, but there was no key, click or touch.',
  ),
  emulated_screen: strong(
    'window',
    'The sizes of the screen, the window and the viewport do not fit a real monitor.',
  ),
  trap_hit: outcome(
    'The session or the address asked for a trap: a path or a link that only programs use.',
  ),
  session_shape: outcome('The session that passed walks through the site as programs do.'),
  debugger_attached: weak(
    'debugger',
    'Something listened to the console of the page, as drivers and developer tools do.',
  ),
  page_not_painted: note(
    'window',
    'The page was visible and its timers ran, but the browser painted no frame of it.',
  ),
});
