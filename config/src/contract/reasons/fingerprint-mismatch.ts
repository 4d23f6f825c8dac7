import { inCategory, conclusive, note, strong, weak } from '../reason-entry.ts';

/** What a browser cannot easily change disagrees with what it claims to be (contract 2.2). */
export const fingerprintMismatch = inCategory('fingerprint_mismatch', {
  client_hints_mismatch: strong('other_client', 'The client hints disagree with the User-Agent.'),
  client_hints_malformed: strong(
    'other_client',
    'The client hints are not a list that a Chromium browser writes.',
  ),
  client_hints_unusual: weak(
    'other_client',
    'The brands of the client hints are not written as this version of Chromium does.',
  ),
  tls_fingerprint_mismatch: strong(
    'other_client',
    'The TLS handshake is not one that the claimed browser makes.',
  ),
  http2_fingerprint_mismatch: strong(
    'other_client',
    'HTTP/2 was opened otherwise than the claimed browser does.',
  ),
  header_order_mismatch: weak(
    'other_client',
    'The headers stand in an order that the claimed browser does not have.',
  ),
  page_mismatch: strong(
    'other_client',
    'What the page saw of the browser disagrees with what the request said.',
  ),
  worker_mismatch: strong(
    'other_client',
    'A worker of the page saw another browser than the page did.',
  ),
  frame_mismatch: strong(
    'other_client',
    'An empty frame of the page saw another browser than the page did.',
  ),
  layout_mismatch: conclusive(
    'layout',
    'The page measured boxes otherwise than a layout engine lays them out.',
  ),
  layout_noise: strong(
    'layout',
    'The page measured boxes a few pixels beside where a layout engine lays them out.',
  ),
  answers_rare: weak(
    'answers',
    'Hardly any other visitor of the claimed browser answers the page in this way.',
  ),
  answers_of_no_engine: strong(
    'answers',
    'No visitor of any browser engine answers the page in this way.',
  ),
  language_mismatch: weak(
    'language',
    'Accept-Language and the languages of the page have none in common.',
  ),
  codecs_mismatch: weak(
    'build',
    'The browser lacks the video and sound formats that the one it claims to be brings along.',
  ),
  fonts_mismatch: weak(
    'system',
    'The claimed system has none of its own fonts, and those of another.',
  ),
  graphics_mismatch: weak(
    'system',
    'WebGL is drawn by what only another system than the claimed one has.',
  ),
  session_of_another: note(
    'other_client',
    'The session passed its challenge with another client, by TLS, HTTP/2, scheme or engine.',
  ),
  session_shared: note(
    'other_client',
    'An old value of the session came after a newer one: two clients have it.',
  ),
});
