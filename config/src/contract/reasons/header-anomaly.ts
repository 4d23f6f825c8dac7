/** Headers that are missing, contradictory or a script's (contract 2.2). */
export const headerAnomaly = {
  header_missing: {
    category: 'header_anomaly',
    strength: 'strong',
    group: 'headers',
    meaning: 'A header that the claimed browser always sends is absent.',
  },
  header_contradiction: {
    category: 'header_anomaly',
    strength: 'strong',
    group: 'headers',
    meaning: 'Two headers contradict each other.',
  },
  fetch_metadata_impossible: {
    category: 'header_anomaly',
    strength: 'strong',
    group: 'headers',
    meaning: 'The Sec-Fetch headers have a value, a gap or a combination that no browser sends.',
  },
  header_script_like: {
    category: 'header_anomaly',
    strength: 'strong',
    group: 'headers',
    meaning: 'A header has a value that HTTP libraries send and browsers do not.',
  },
  agent_impossible: {
    category: 'header_anomaly',
    strength: 'strong',
    group: 'other_client',
    meaning: 'The User-Agent claims a browser that cannot exist on the system it names.',
  },
  client_hints_missing: {
    category: 'header_anomaly',
    strength: 'strong',
    group: 'other_client',
    meaning: 'The client hints that the claimed browser sends on https are absent.',
  },
  navigation_incomplete: {
    category: 'header_anomaly',
    strength: 'weak',
    group: 'headers',
    meaning: 'A header that the claimed browser usually sends is absent.',
  },
  agent_implausible: {
    category: 'header_anomaly',
    strength: 'weak',
    group: 'other_client',
    meaning: 'The User-Agent claims a version that does not exist yet, or hardly any more.',
  },
  accept_encoding_unusual: {
    category: 'header_anomaly',
    strength: 'weak',
    group: 'headers',
    meaning: 'Accept-Encoding is not the one of the claimed browser.',
  },
} as const;
