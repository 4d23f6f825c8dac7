import { inCategory, strong, weak } from '../reason-entry.ts';

/** Headers that are missing, contradict each other, or look like the headers of a script (contract 2.2). */
export const headerAnomaly = inCategory('header_anomaly', {
  header_missing: strong('headers', 'A header that the claimed browser always sends is absent.'),
  header_contradiction: strong('headers', 'Two headers contradict each other.'),
  fetch_metadata_impossible: strong(
    'headers',
    'The Sec-Fetch headers have a value, a gap or a combination that no browser sends.',
  ),
  header_script_like: strong(
    'headers',
    'A header has a value that HTTP libraries send and browsers do not.',
  ),
  agent_impossible: strong(
    'other_client',
    'The User-Agent claims a browser that cannot exist on the system it names.',
  ),
  client_hints_missing: strong(
    'other_client',
    'The client hints that the claimed browser sends on https are absent.',
  ),
  navigation_incomplete: weak(
    'headers',
    'A header that the claimed browser usually sends is absent.',
  ),
  agent_implausible: weak(
    'other_client',
    'The User-Agent claims a version that does not exist yet, or that hardly anyone still uses.',
  ),
  accept_encoding_unusual: weak(
    'headers',
    'Accept-Encoding is not the one of the claimed browser.',
  ),
});
