import { inCategory, conclusive, note, strong, weak } from '../reason-entry.ts';

/** Properties that a browser cannot easily change contradict its claim (contract 2.2). */
export const fingerprintMismatch = inCategory('fingerprint_mismatch', {
  client_hints_mismatch: strong('other_client', 'The client hints disagree with the User-Agent.'),
  client_hints_malformed: strong(
    'other_client',
    'The client hints are not a list that a Chromium browser writes.',
  ),
  client_hints_unusual: weak(
    'other_client',
    'The brands of the client hints are not written in the way of this version of Chromium.',
  ),
  tls_fingerprint_mismatch: strong(
    'other_client',
    'The TLS handshake is not one that the claimed browser makes.',
  ),
  http2_fingerprint_mismatch: strong(
    'other_client',
    'The client opened HTTP/2 in another way than the claimed browser.',
  ),
  header_order_mismatch: weak(
    'other_client',
    'The headers are in an order that the claimed browser does not use.',
  ),
  page_mismatch: strong('other_client', 'The page saw another browser than the request claimed.'),
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
    'The boxes that the page measured are not where a layout engine puts them.',
  ),
  layout_noise: strong(
    'layout',
    'The boxes that the page measured are a few pixels away from where a layout engine puts them.',
  ),
  answers_rare: weak(
    'answers',
    'Hardly any other visitor with the claimed browser gives these answers to the page.',
  ),
  answers_of_no_engine: strong(
    'answers',
    'No visitor with any browser engine gives these answers to the page.',
  ),
  language_mismatch: weak(
    'language',
    'No language is both in Accept-Language and in the list that the page read.',
  ),
  codecs_mismatch: weak(
    'build',
    'The browser lacks video and sound formats that the claimed browser has.',
  ),
  fonts_mismatch: weak(
    'system',
    'The browser has fonts of another system, and none of the claimed system.',
  ),
  graphics_mismatch: weak(
    'system',
    'WebGL uses a graphics library that only another system than the claimed one has.',
  ),
  session_of_another: note(
    'other_client',
    'The session passed its challenge with another client: TLS, HTTP/2, the scheme or the engine differs.',
  ),
  session_shared: note(
    'other_client',
    'An old value of the session came after a newer one, so two clients have the session.',
  ),
});
