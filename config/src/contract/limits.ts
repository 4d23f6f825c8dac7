/** Every number of contract 8 and the bounds of the wire contract, named once. */

const KiB = 1024;
const MiB = 1024 * KiB;
const DAY_S = 86_400;

export const VALIDATE = {
  /** Time limit of the validator for one decision, in milliseconds (contract 8). */
  budgetMs: 500,
  /** How long a caller waits for an answer, in milliseconds (contract 4.1 rule 1). */
  callersTimeoutMs: { min: 300, max: 500, default: 400 },
  /** Largest body of `POST /validate`, in bytes. */
  maxBodyBytes: 256 * KiB,
  /** Deepest nesting of the JSON of this body. The contract needs two levels. Later fields may need more. */
  maxJsonDepth: 16,
  /** Maximum number of header fields of one described request. */
  maxHeaders: 256,
  /** Longest header name, in UTF-16 code units. */
  maxHeaderNameLength: 256,
  /** Longest header value, and longest `referrer`, in UTF-16 code units. */
  maxHeaderValueLength: 16 * KiB,
  /** All header names and values together, in UTF-16 code units. */
  maxHeadersLength: 64 * KiB,
  /** Longest `ip`: an IPv6 address with a dotted tail and the name of an interface. */
  maxIpLength: 64,
  /** Longest method, in UTF-16 code units. */
  maxMethodLength: 32,
  /** Longest URL, in UTF-16 code units. */
  maxUrlLength: 16 * KiB,
} as const;

export const QUERY = {
  /** Longest statement, in characters; the shortest is 1. */
  maxStatementChars: 65_536,
  maxBodyBytes: 64 * KiB,
  maxExecutionS: 30,
  maxRows: 1_000_000,
  /** Largest answer of `/query`; above it the caller gets 502. */
  maxAnswerBytes: 4 * MiB,
  /** Queries of one analytics key that run at the same time. Further queries wait. */
  runningOfKey: 4,
  /**
   * Queries of one organisation that run at the same time. The limit is higher than the limit of one key, so that one
   * key cannot block the others.
   */
  runningOfOrganisation: 8,
  /** Queries of a key or organisation that may wait. Above this number the caller gets 503 at once. */
  maxWaiting: 16,
} as const;

export const MCP = {
  dataMaxBodyBytes: 64 * KiB,
  maxStatementBytes: 65_456,
  /** A larger tool answer is discarded and replaced by a message that asks for a LIMIT. */
  maxToolAnswerBytes: 256 * KiB,
  docsMaxBodyBytes: 16 * KiB,
  /** Requests of one address (or /64) to the public documentation server; above it the answer is 429. */
  docsRequestsPerAddress: { requests: 600, perMs: 60_000 },
  searchLimit: { min: 1, max: 20, default: 8 },
} as const;

export const RETENTION = {
  rowsS: 90 * DAY_S,
  /** `headers` and `body` are deleted earlier than their row. */
  detailS: 14 * DAY_S,
} as const;

export const BODY_SAMPLE = {
  /** The largest sample of a request's body that a site may set, in KiB. */
  maxKiB: 16,
} as const;

export const CHALLENGE = {
  /** Time limit for the answer to a challenge. The time is enough for a page in a background tab. */
  ticketTtlMs: 10 * 60_000,
  /** The largest difference between the clocks of instances that share a secret. */
  clockSkewMs: 60_000,
  /**
   * Bits of memory-hard work. `max` is the maximum. `advised` is recommended when each visitor does the work. `ofDoubt`
   * is for a doubtful visitor. One bit more doubles the work.
   */
  work: { max: 8, advised: 4, ofDoubt: 5 },
  /** How many challenges the visitors of one network can pass without work. */
  freePasses: { passes: 20, per: 10 * 60_000 },
  /** Pages for one address before it has to pass a challenge, when a rule says `challenge: auto`. */
  freePages: { pages: 5, per: 10 * 60_000 },
  /**
   * The limits after one passed challenge. They are more than a person needs, and less than a program that copies a
   * site.
   */
  sessionLimits: { requests_per_minute: 600, pages_per_hour: 600, at_once: 100 },
  /** The shape of a session is judged after this many documents. Each finding doubles the number, up to the maximum. */
  sessionShape: { firstDocuments: 10, maxDocuments: 80 },
  /** Largest body of an upload. */
  maxUploadBytes: 64 * KiB,
  /** Time limit to judge and store one upload. Above it the answer is 503, and the page tries again. */
  uploadBudgetMs: 2_000,
  /**
   * Solved challenges of one network (/24 or /64). Above it the answer is 429. A browser solves one a day, so a
   * thousand people in one office pass within ten minutes. Only an upload without findings is counted, for the network
   * of its ticket.
   */
  uploadsPerNetwork: { requests: 120, perMs: 60_000 },
  /**
   * The first solved challenges of one address (IPv4, or /64) are not counted for its network. So a neighbour who uses
   * up the network's budget does not affect them.
   */
  firstUploadsPerAddress: { requests: 5, perMs: 60_000 },
  /** Useless uploads of one address. Above it the answer is 429. They do not use the budget of solved challenges. */
  vainUploadsPerAddress: { requests: 120, perMs: 60_000 },
  /**
   * Only this many wrong answers of one address are counted for its network. So one address alone cannot make its
   * neighbours do work.
   */
  failuresPerAddress: { requests: 10, perMs: 600_000 },
  /** How often one ticket may ask for a session. Many copies of a request at the same time are counted as one use. */
  usesOfTicket: { requests: 1, perMs: 250 },
} as const;
