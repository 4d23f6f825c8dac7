/** Questions with their statements, as examples in `query_help`. Each has a small time range and clear column names. */
export const exampleQueries: readonly { readonly question: string; readonly sql: string }[] = [
  {
    question:
      'Why one visitor was stopped: keep the condition you have, a reference code, an address or a session',
    sql: `SELECT created_at, action, rule, block_reasons, findings, challenge, method, host, path, status_code, ip, asn_name, user_agent, session
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 7 DAY AND now64()
  AND (reference = 'K7QM2X9D' OR ip = '203.0.113.7' OR session = '6b1f0d9c2e7a48358c5d1e9f70a2b4c6')
ORDER BY created_at DESC LIMIT 50
FORMAT JSONEachRow`,
  },
  {
    question: 'Today beside yesterday, and whether the settings were changed in between',
    sql: `SELECT action, countIf(created_at > now() - INTERVAL 1 DAY) AS last_day, countIf(created_at <= now() - INTERVAL 1 DAY) AS day_before, groupUniqArray(10)(settings_revision) AS revisions
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 2 DAY AND now64()
GROUP BY action ORDER BY last_day DESC`,
  },
  {
    question: 'What was enforced in the last day',
    sql: `SELECT action, count() AS requests
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 DAY AND now64()
GROUP BY action ORDER BY requests DESC`,
  },
  {
    question: 'Requests and stopped requests, hour by hour',
    sql: `SELECT toStartOfHour(created_at) AS hour, count() AS requests, countIf(action != 'allow') AS stopped
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 DAY AND now64()
GROUP BY hour ORDER BY hour`,
  },
  {
    question: 'The most frequent block reasons of the last hour',
    sql: `SELECT arrayJoin(block_reasons) AS reason, count() AS requests, uniq(ip) AS addresses
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 HOUR AND now64()
GROUP BY reason ORDER BY requests DESC LIMIT 20`,
  },
  {
    question: 'What a rule in monitor mode would have stopped',
    sql: `SELECT rule, path, count() AS requests
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 DAY AND now64() AND decision = 'block' AND action = 'allow'
GROUP BY rule, path ORDER BY requests DESC LIMIT 20`,
  },
  {
    question: 'The addresses that were stopped most, with their countries and User-Agents',
    sql: `SELECT ip, any(country) AS country, any(user_agent) AS agent, count() AS requests
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 DAY AND now64() AND action != 'allow'
GROUP BY ip ORDER BY requests DESC LIMIT 20`,
  },
  {
    question: 'Verified crawlers, and requests that only claim to be a crawler',
    sql: `SELECT crawler_name, crawler_verified, action, count() AS requests
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 7 DAY AND now64() AND crawler_name != ''
GROUP BY crawler_name, crawler_verified, action ORDER BY requests DESC LIMIT 50`,
  },
  {
    question:
      'Visitors by state of their challenge; an address with a User-Agent counts as one visitor',
    sql: `SELECT challenge, count() AS requests, uniq(ip, user_agent) AS visitors
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 DAY AND now64()
GROUP BY challenge ORDER BY requests DESC`,
  },
  {
    question: 'Who exceeded a rate limit, and on which paths',
    sql: `SELECT ip, path, count() AS refused
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 DAY AND now64() AND rate_limited
GROUP BY ip, path ORDER BY refused DESC LIMIT 20`,
  },
  {
    question: 'How long decisions take, in milliseconds: the median and the slowest of a hundred',
    sql: `SELECT site, validator, round(quantile(0.5)(duration_us) / 1000, 2) AS p50, round(quantile(0.99)(duration_us) / 1000, 2) AS p99
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 HOUR AND now64()
GROUP BY site, validator`,
  },
  {
    question: 'Everything about the last requests to one path, headers included',
    sql: `SELECT *
FROM events_distributed
WHERE created_at BETWEEN now() - INTERVAL 1 HOUR AND now64() AND path = '/login'
ORDER BY created_at DESC LIMIT 5
FORMAT JSONEachRow`,
  },
];
