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
    'What tells whether the browser is controlled by automation was replaced.',
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
    'The browser has a window with bars, and neither mouse nor pen nor finger.',
  ),
  page_driven: conclusive(
    'driver',
    'A script ran in the page as drivers run theirs, while something listened to its console.',
  ),
  activation_without_input: strong(
    'driver',
    'The page counted as used by a person, and saw neither a key nor a click nor a touch.',
  ),
  emulated_screen: strong(
    'window',
    'The screen, the window and the viewport are not those of a monitor.',
  ),
  trap_hit: outcome('The session or the address asked for what only programs ask for: a trap.'),
  session_shape: outcome('The session that passed walks through the site as programs do.'),
  debugger_attached: weak(
    'debugger',
    'Something listened to the console of the page, as drivers and developer tools do.',
  ),
  page_not_painted: note(
    'window',
    'The page was in view and its timers ran, and the browser drew no frame of it.',
  ),
});
