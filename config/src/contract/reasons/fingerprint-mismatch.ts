/** What a browser cannot easily change disagrees with what it claims to be (contract 2.2). */
export const fingerprintMismatch = {
  client_hints_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'strong',
    group: 'other_client',
    meaning: 'The client hints disagree with the User-Agent.',
  },
  client_hints_malformed: {
    category: 'fingerprint_mismatch',
    strength: 'strong',
    group: 'other_client',
    meaning: 'The client hints are not a list that a Chromium browser writes.',
  },
  client_hints_unusual: {
    category: 'fingerprint_mismatch',
    strength: 'weak',
    group: 'other_client',
    meaning: 'The brands of the client hints are not written as this version of Chromium does.',
  },
  tls_fingerprint_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'strong',
    group: 'other_client',
    meaning: 'The TLS handshake is not one that the claimed browser makes.',
  },
  http2_fingerprint_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'strong',
    group: 'other_client',
    meaning: 'HTTP/2 was opened otherwise than the claimed browser does.',
  },
  header_order_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'weak',
    group: 'other_client',
    meaning: 'The headers stand in an order that the claimed browser does not have.',
  },
  page_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'strong',
    group: 'other_client',
    meaning: 'What the page saw of the browser disagrees with what the request said.',
  },
  worker_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'strong',
    group: 'other_client',
    meaning: 'A worker of the page saw another browser than the page did.',
  },
  frame_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'strong',
    group: 'other_client',
    meaning: 'An empty frame of the page saw another browser than the page did.',
  },
  layout_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'conclusive',
    group: 'layout',
    meaning: 'The page measured boxes otherwise than a layout engine lays them out.',
  },
  layout_noise: {
    category: 'fingerprint_mismatch',
    strength: 'strong',
    group: 'layout',
    meaning: 'The page measured boxes a few pixels beside where a layout engine lays them out.',
  },
  answers_rare: {
    category: 'fingerprint_mismatch',
    strength: 'weak',
    group: 'answers',
    meaning: 'Hardly any other visitor of the claimed browser answers the page in this way.',
  },
  answers_of_no_engine: {
    category: 'fingerprint_mismatch',
    strength: 'strong',
    group: 'answers',
    meaning: 'No visitor of any browser engine answers the page in this way.',
  },
  language_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'weak',
    group: 'language',
    meaning: 'Accept-Language and the languages of the page have none in common.',
  },
  codecs_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'weak',
    group: 'build',
    meaning:
      'The browser lacks the video and sound formats that the one it claims to be brings along.',
  },
  fonts_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'weak',
    group: 'system',
    meaning: 'The claimed system has none of its own fonts, and those of another.',
  },
  graphics_mismatch: {
    category: 'fingerprint_mismatch',
    strength: 'weak',
    group: 'system',
    meaning: 'WebGL is drawn by what only another system than the claimed one has.',
  },
  session_of_another: {
    category: 'fingerprint_mismatch',
    strength: 'note',
    group: 'other_client',
    meaning:
      'The session passed its challenge with another client, by TLS, HTTP/2, scheme or engine.',
  },
  session_shared: {
    category: 'fingerprint_mismatch',
    strength: 'note',
    group: 'other_client',
    meaning: 'An old value of the session came after a newer one: two clients have it.',
  },
} as const;
