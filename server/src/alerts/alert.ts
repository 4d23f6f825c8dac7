/** The alerts with their titles. The guide page "Running Guard" says what to do for each. */
export const ALERTS = {
  passed_unjudged: 'Requests pass without a decision',
  origin_down: 'The site does not answer',
  origin_errors: 'Most requests for the site get no answer',
  one_address: 'All visitors seem to come from one address',
  reload_refused: 'Changed settings were refused',
  events_dropped: 'Events are lost',
  store_away: 'The shared store does not answer',
  certificate_ends: 'A certificate ends soon',
  crawler_lists_old: 'Lists of crawler addresses are old',
  databases_old: 'A database of countries or networks is old',
  blocks_jump: 'A rule blocks far more than usual',
  challenged_again: 'Visitors are challenged again right after passing',
  test: 'This is a test',
} as const;
type AlertName = keyof typeof ALERTS;

/** A condition that is true now, with the content of its message. */
export interface Alert {
  readonly name: AlertName;
  /** The organisation, rule or host that the alert concerns. Each of them gets at most one alert in a cool-down. */
  readonly about: string;
  /** A sentence with the numbers that caused the alert. */
  readonly seen: string;
}
