/** A real browser that an automation tool drives (contract 2.2). */
export const automatedBrowser = {
  headless_user_agent: {
    category: 'automated_browser',
    strength: 'conclusive',
    group: 'name',
    meaning: 'The User-Agent or its client hints name a headless browser or automation tool.',
  },
  webdriver: {
    category: 'automated_browser',
    strength: 'conclusive',
    group: 'driver',
    meaning: 'The browser reported that it is controlled by automation.',
  },
  automation_globals: {
    category: 'automated_browser',
    strength: 'conclusive',
    group: 'driver',
    meaning: 'Objects of an automation tool were found in the page.',
  },
  webdriver_replaced: {
    category: 'automated_browser',
    strength: 'strong',
    group: 'driver',
    meaning: 'What tells whether the browser is controlled by automation was replaced.',
  },
  headless_browser: {
    category: 'automated_browser',
    strength: 'conclusive',
    group: 'window',
    meaning: 'The browser showed traits that only a browser without a window has.',
  },
  disguised_natives: {
    category: 'automated_browser',
    strength: 'conclusive',
    group: 'driver',
    meaning:
      'Functions that say what the browser is were replaced, and the replacement was hidden.',
  },
  automation_flags: {
    category: 'automated_browser',
    strength: 'conclusive',
    group: 'driver',
    meaning: 'The browser was started with a switch that automation tools put on its command line.',
  },
  pointer_missing: {
    category: 'automated_browser',
    strength: 'strong',
    group: 'window',
    meaning: 'The browser has a window with bars, and neither mouse nor pen nor finger.',
  },
  page_driven: {
    category: 'automated_browser',
    strength: 'conclusive',
    group: 'driver',
    meaning:
      'A script ran in the page as drivers run theirs, while something listened to its console.',
  },
  activation_without_input: {
    category: 'automated_browser',
    strength: 'strong',
    group: 'driver',
    meaning: 'The page counted as used by a person, and saw neither a key nor a click nor a touch.',
  },
  emulated_screen: {
    category: 'automated_browser',
    strength: 'strong',
    group: 'window',
    meaning: 'The screen, the window and the viewport are not those of a monitor.',
  },
  trap_hit: {
    category: 'automated_browser',
    meaning: 'The session or the address asked for what only programs ask for: a trap.',
  },
  session_shape: {
    category: 'automated_browser',
    meaning: 'The session that passed walks through the site as programs do.',
  },
  debugger_attached: {
    category: 'automated_browser',
    strength: 'weak',
    group: 'debugger',
    meaning: 'Something listened to the console of the page, as drivers and developer tools do.',
  },
  page_not_painted: {
    category: 'automated_browser',
    strength: 'note',
    group: 'window',
    meaning: 'The page was in view and its timers ran, and the browser drew no frame of it.',
  },
} as const;
