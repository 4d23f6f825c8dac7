/** A question about the traffic, and the statement that answers it. */
export interface ExampleQuery {
  readonly question: string;
  readonly sql: string;
}

/** What `query_help` teaches by. Each keeps its time range small, and says in its columns what it counts. */
export const exampleQueries: readonly ExampleQuery[] = [
  {
    question: 'What was enforced in the last day',
    sql: `SELECT action, count() AS requests
FROM events_distributed
WHERE created_at > now() - INTERVAL 1 DAY
GROUP BY action ORDER BY requests DESC
FORMAT TabSeparatedWithNames`,
  },
  {
    question: 'Requests and stopped requests, hour by hour',
    sql: `SELECT toStartOfHour(created_at) AS hour, count() AS requests, countIf(action != 'allow') AS stopped
FROM events_distributed
WHERE created_at > now() - INTERVAL 1 DAY
GROUP BY hour ORDER BY hour`,
  },
  {
    question: 'What spoke against requests in the last hour',
    sql: `SELECT arrayJoin(block_reasons) AS reason, count() AS requests, uniq(ip) AS addresses
FROM events_distributed
WHERE created_at > now() - INTERVAL 1 HOUR
GROUP BY reason ORDER BY requests DESC LIMIT 20`,
  },
  {
    question: 'What a rule in monitor mode would have stopped',
    sql: `SELECT rule, path, count() AS requests
FROM events_distributed
WHERE created_at > now() - INTERVAL 1 DAY AND decision = 'block' AND action = 'allow'
GROUP BY rule, path ORDER BY requests DESC LIMIT 20`,
  },
  {
    question: 'The addresses that were stopped most, and as what they came',
    sql: `SELECT ip, any(country) AS country, any(user_agent) AS agent, count() AS requests
FROM events_distributed
WHERE created_at > now() - INTERVAL 1 DAY AND action != 'allow'
GROUP BY ip ORDER BY requests DESC LIMIT 20`,
  },
  {
    question: 'Crawlers, told apart from those who only claim to be one',
    sql: `SELECT crawler_name, crawler_verified, action, count() AS requests
FROM events_distributed
WHERE created_at > now() - INTERVAL 7 DAY AND crawler_name != ''
GROUP BY crawler_name, crawler_verified, action ORDER BY requests DESC LIMIT 50`,
  },
  {
    question: 'How visitors stand with the challenge',
    sql: `SELECT challenge, count() AS requests, uniqIf(session, session != '') AS sessions
FROM events_distributed
WHERE created_at > now() - INTERVAL 1 DAY
GROUP BY challenge ORDER BY requests DESC`,
  },
  {
    question: 'Who exceeded a rate limit, and on which paths',
    sql: `SELECT ip, path, count() AS refused
FROM events_distributed
WHERE created_at > now() - INTERVAL 1 DAY AND rate_limited
GROUP BY ip, path ORDER BY refused DESC LIMIT 20`,
  },
  {
    question: 'How long decisions take, in milliseconds: the median and the slowest of a hundred',
    sql: `SELECT site, validator, round(quantile(0.5)(duration_us) / 1000, 2) AS p50, round(quantile(0.99)(duration_us) / 1000, 2) AS p99
FROM events_distributed
WHERE created_at > now() - INTERVAL 1 HOUR
GROUP BY site, validator`,
  },
  {
    question: 'Everything about the last requests to one path, headers included',
    sql: `SELECT *
FROM events_distributed
WHERE created_at > now() - INTERVAL 1 HOUR AND path = '/login'
ORDER BY created_at DESC LIMIT 5
FORMAT JSONEachRow`,
  },
];
