/**
 * Every block reason Guard can give (spec 2.2): identifier, category, weight, meaning.
 *
 * Weights of different categories add up (validator/src/verdict/weigh.ts). Within one category only
 * the heaviest counts, because findings of one category tend to have one cause. 100 is conclusive by itself;
 * below 40 a finding is weak: it can add to a challenge, never to a block.
 * Two categories are kept below a block by construction: a network alone, or odd headers alone, is
 * something a real person can have.
 */

export const CATEGORIES = [
  'bot_identity',
  'automated_browser',
  'header_anomaly',
  'fingerprint_mismatch',
  'suspicious_network',
  'challenge_failure',
  'crawler_impersonator',
  'unknown',
] as const;
export type Category = (typeof CATEGORIES)[number];

interface ReasonEntry {
  readonly category: Category;
  /** 0 to 100. */
  readonly weight: number;
  readonly meaning: string;
}

export const reasons = {
  // bot_identity
  http_client_user_agent: {
    category: 'bot_identity',
    weight: 60,
    meaning: 'The User-Agent names an HTTP library or command-line client.',
  },
  user_agent_missing: {
    category: 'bot_identity',
    weight: 60,
    meaning: 'No User-Agent was sent.',
  },
  user_agent_unknown: {
    category: 'bot_identity',
    weight: 40,
    meaning: 'The User-Agent names neither a browser nor a crawler or client that is known.',
  },
  crawler_blocked: {
    category: 'bot_identity',
    weight: 100,
    meaning: 'A known crawler that is not on the allowlist.',
  },
  crawler_unverified: {
    category: 'bot_identity',
    weight: 60,
    meaning: 'Claims a crawler of the allowlist, and nothing shows that the claim is true.',
  },
  // crawler_impersonator
  crawler_impersonator: {
    category: 'crawler_impersonator',
    weight: 100,
    meaning: 'Claims a crawler whose operator publishes its addresses, from another address.',
  },
  // automated_browser
  headless_user_agent: {
    category: 'automated_browser',
    weight: 100,
    meaning: 'The User-Agent or its client hints name a headless browser or automation tool.',
  },
  webdriver: {
    category: 'automated_browser',
    weight: 100,
    meaning: 'The browser reported that it is controlled by automation.',
  },
  automation_globals: {
    category: 'automated_browser',
    weight: 100,
    meaning: 'Objects of an automation tool were found in the page.',
  },
  headless_browser: {
    category: 'automated_browser',
    weight: 100,
    meaning: 'The browser showed traits that only a browser without a window has.',
  },
  disguised_natives: {
    category: 'automated_browser',
    weight: 100,
    meaning:
      'Functions that say what the browser is were replaced, and the replacement was hidden.',
  },
  automation_flags: {
    category: 'automated_browser',
    weight: 60,
    meaning: 'The browser was started with a switch that automation tools put on its command line.',
  },
  emulated_screen: {
    category: 'automated_browser',
    weight: 60,
    meaning: 'The screen, the window and the viewport are not those of a monitor.',
  },
  debugger_attached: {
    category: 'automated_browser',
    weight: 30,
    meaning: 'Something listened to the console of the page, as drivers and developer tools do.',
  },
  // header_anomaly
  header_missing: {
    category: 'header_anomaly',
    weight: 60,
    meaning: 'A header that the claimed browser always sends is absent.',
  },
  header_contradiction: {
    category: 'header_anomaly',
    weight: 60,
    meaning: 'Two headers contradict each other.',
  },
  fetch_metadata_impossible: {
    category: 'header_anomaly',
    weight: 60,
    meaning: 'The Sec-Fetch headers have a value, a gap or a combination that no browser sends.',
  },
  header_script_like: {
    category: 'header_anomaly',
    weight: 60,
    meaning: 'A header has a value that HTTP libraries send and browsers do not.',
  },
  agent_impossible: {
    category: 'header_anomaly',
    weight: 60,
    meaning: 'The User-Agent claims a browser that cannot exist on the system it names.',
  },
  client_hints_missing: {
    category: 'header_anomaly',
    weight: 40,
    meaning: 'The client hints that the claimed browser sends on https are absent.',
  },
  navigation_incomplete: {
    category: 'header_anomaly',
    weight: 30,
    meaning: 'A header that the claimed browser usually sends is absent.',
  },
  agent_implausible: {
    category: 'header_anomaly',
    weight: 30,
    meaning: 'The User-Agent claims a version that does not exist yet, or hardly any more.',
  },
  accept_encoding_unusual: {
    category: 'header_anomaly',
    weight: 30,
    meaning: 'Accept-Encoding is not the one of the claimed browser.',
  },
  // fingerprint_mismatch
  client_hints_mismatch: {
    category: 'fingerprint_mismatch',
    weight: 70,
    meaning: 'The client hints disagree with the User-Agent.',
  },
  client_hints_malformed: {
    category: 'fingerprint_mismatch',
    weight: 60,
    meaning: 'The client hints are not a list that a Chromium browser writes.',
  },
  client_hints_unusual: {
    category: 'fingerprint_mismatch',
    weight: 30,
    meaning: 'The brands of the client hints are not written as this version of Chromium does.',
  },
  tls_fingerprint_mismatch: {
    category: 'fingerprint_mismatch',
    weight: 60,
    meaning: 'The TLS handshake is not one that the claimed browser makes.',
  },
  http2_fingerprint_mismatch: {
    category: 'fingerprint_mismatch',
    weight: 60,
    meaning: 'HTTP/2 was opened otherwise than the claimed browser does.',
  },
  header_order_mismatch: {
    category: 'fingerprint_mismatch',
    weight: 30,
    meaning: 'The headers stand in an order that the claimed browser does not have.',
  },
  page_mismatch: {
    category: 'fingerprint_mismatch',
    weight: 100,
    meaning: 'What the page saw of the browser disagrees with what the request said.',
  },
  worker_mismatch: {
    category: 'fingerprint_mismatch',
    weight: 100,
    meaning: 'A worker of the page saw another browser than the page did.',
  },
  frame_mismatch: {
    category: 'fingerprint_mismatch',
    weight: 100,
    meaning: 'An empty frame of the page saw another browser than the page did.',
  },
  layout_mismatch: {
    category: 'fingerprint_mismatch',
    weight: 100,
    meaning: 'The page measured boxes otherwise than a layout engine lays them out.',
  },
  language_mismatch: {
    category: 'fingerprint_mismatch',
    weight: 30,
    meaning: 'Accept-Language and the languages of the page have none in common.',
  },
  // suspicious_network
  datacenter_ip: {
    category: 'suspicious_network',
    weight: 50,
    meaning: 'The address belongs to a hosting provider.',
  },
  vpn_ip: {
    category: 'suspicious_network',
    weight: 40,
    meaning: 'The address belongs to a commercial VPN.',
  },
  tor_ip: {
    category: 'suspicious_network',
    weight: 50,
    meaning: 'The address is a Tor exit.',
  },
  proxy_headers: {
    category: 'suspicious_network',
    weight: 5,
    meaning: 'The request says that it came through a proxy.',
  },
  session_moved: {
    category: 'suspicious_network',
    weight: 40,
    meaning:
      'The session passed its challenge elsewhere, and now comes from a network of machines.',
  },
  rate_limit_exceeded: {
    category: 'suspicious_network',
    weight: 100,
    meaning: 'A rate limit rule was exceeded.',
  },
  // challenge_failure
  interstitial_no_session: {
    category: 'challenge_failure',
    weight: 60,
    meaning: 'The session cookie of the challenge did not come back.',
  },
  challenge_invalid: {
    category: 'challenge_failure',
    weight: 60,
    meaning:
      'The challenge was answered with something that was never issued, or not in this form.',
  },
  challenge_expired: {
    category: 'challenge_failure',
    weight: 60,
    meaning: 'The challenge was answered too late.',
  },
  challenge_outdated: {
    category: 'challenge_failure',
    weight: 60,
    meaning: 'The challenge was issued under other rules than those in force now.',
  },
  challenge_replayed: {
    category: 'challenge_failure',
    weight: 60,
    meaning: 'The same challenge was answered a second time.',
  },
  challenge_never_cleared: {
    category: 'challenge_failure',
    weight: 30,
    meaning: 'The session was shown a challenge that ran out without an answer, and came again.',
  },
  challenge_incomplete: {
    category: 'challenge_failure',
    weight: 60,
    meaning: 'The challenge was answered without the measurements that it asks for.',
  },
  payload_replayed: {
    category: 'challenge_failure',
    weight: 100,
    meaning: 'The same readings with the same timings were sent before, for another challenge.',
  },
  // unknown
  policy_block: {
    category: 'unknown',
    weight: 100,
    meaning: 'A rule of the site blocks this request, whoever sent it.',
  },
} as const satisfies Record<string, ReasonEntry>;

export type Reason = keyof typeof reasons;

/** The categories of some reasons, each once, in the order of the reasons. */
export function categoriesOf(list: readonly Reason[]): Category[] {
  return [...new Set(list.map((reason) => reasons[reason].category))];
}
