/** `label` is the name of the only label. The number of its values is bounded. */
function counter(help: string, label?: string) {
  return { kind: 'counter', help, label } as const;
}

/** A gauge with the value of the main thread. */
function gauge(help: string, label?: string) {
  return { kind: 'gauge', help, label } as const;
}

/** A gauge for which each thread has its own value. The highest of these values is reported. */
function highestGauge(help: string) {
  return { ...gauge(help), threads: 'highest' } as const;
}

export const metrics = {
  guard_gateway_requests_total: counter(
    'Requests that the gateway finished, by outcome: forwarded, served, refused, failed, aborted, unknown_host.',
    'outcome',
  ),
  guard_gateway_fail_open_total: counter(
    'Requests passed to the origin because the validator gave no usable answer, by reason: timeout, connection, breaker_open, server_error, unsuccessful, bad_answer.',
    'reason',
  ),
  guard_gateway_fail_closed_total: counter(
    'Requests denied without a decision, by reason. If the validator rejected the question (4xx), the reason is the error type of its answer, else status_ and the number. If the gateway had too many open questions, the reason is overloaded.',
    'reason',
  ),
  guard_gateway_validators_away: highestGauge(
    'Remote validators that are not asked at present, because they gave no answer lately.',
  ),
  guard_gateway_breaker_changes_total: counter(
    'Changes of the circuit breakers in front of remote validators: opened, stayed_open, closed.',
    'change',
  ),
  guard_gateway_origin_errors_total: counter(
    'Requests answered with 502, 503 or 504, or cut off, because of the origin, by reason: connect, timeout, reset, malformed, busy, truncated.',
    'reason',
  ),
  guard_gateway_connections_refused_total: counter(
    'Connections closed before their first request, by reason: full, address_full, untrusted_peer, proxy_header_malformed, proxy_header_late.',
    'reason',
  ),
  guard_gateway_connections_cut_total: counter(
    'Connections cut because of their visitor, by reason: answers_unread (at the limit of answers that visitors do not read).',
    'reason',
  ),
  guard_gateway_certificate_expiry_timestamp_seconds: gauge(
    'Time at which the certificate of a host ends, in seconds since 1970. The label is the first host of the certificate.',
    'host',
  ),
  guard_certificates_awaited: highestGauge(
    'Hosts of tls.acme for which there is no certificate yet.',
  ),
  guard_certificate_orders_total: counter(
    'Certificates ordered by ACME at this instance, by outcome: issued, refused (by the authority), away (the authority could not be reached).',
    'outcome',
  ),
  guard_gateway_one_address: highestGauge(
    '1 while nearly all requests come from one address, which is then likely a proxy that trusted_proxies lacks, else 0.',
  ),
  guard_gateway_forwarded_undecided_total: counter(
    'Requests of trusted proxies in which X-Forwarded-For and Forwarded named different visitors. Guard cannot see which field the proxy wrote, so the address of the proxy counts.',
  ),
  guard_forward_auth_requests_total: counter(
    'Requests of proxies that ask in forward-auth mode, by outcome: passed, denied, fetched, refused, aborted, failed.',
    'outcome',
  ),
  guard_decisions_total: counter(
    "Decisions of the validator, by the action enforced: allow, block, challenge, limited. When the origin's answer is held back, the request is counted as `allow` and again as `challenge`.",
    'action',
  ),
  guard_decision_duration_seconds: {
    kind: 'histogram',
    label: undefined,
    /** Upper bounds, ascending. */
    buckets: [
      0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
      0.1, 0.25, 0.5,
    ],
    help: 'How long decisions took, in seconds.',
  },
  guard_block_reasons_total: counter(
    'Signals against visitors, by block reason. A decision can have several, also if nothing was enforced.',
    'reason',
  ),
  guard_challenges_total: counter(
    'Challenge uploads, by result: verified, work (Guard asked for work), rejected, limited, unavailable, or the reason for which Guard refused the upload.',
    'result',
  ),
  guard_pressure_changes_total: counter(
    'Groups of visitors whose free pages ended under pressure, by cause: pressure_by_client, pressure_on_path, pressure_on_origin. Groups that became normal again count as ended.',
    'change',
  ),
  guard_events_total: counter(
    'Events, by fate: recorded, written, retried, spilled, dropped.',
    'fate',
  ),
  guard_events_queued: gauge('Events recorded and not yet acknowledged by the database.'),
  guard_analytics_restarts_total: counter(
    'Times the embedded database was started again after it had ended.',
  ),
  guard_analytics_failing: gauge(
    '1 while the embedded database does not start or waits for space on its disk, else 0. The log says why.',
  ),
  guard_analytics_deletion_held: gauge(
    '1 while the embedded database keeps rows beyond their time, because the clock made a step of more than a day, else 0.',
  ),
  guard_sessions: highestGauge('Sessions held in memory.'),
  guard_store_away: highestGauge(
    '1 while the shared store gives no answer and this instance decides from its own memory, else 0; always 0 for a store in memory.',
  ),
  guard_store_snapshot_age_seconds: gauge(
    'Age of the snapshot on disk of a store in memory, or the time since the start while there is no snapshot.',
  ),
  guard_store_unanswered_total: counter(
    'Questions that the shared store did not answer, by operation: session, take and remember (Guard used local state instead), spend and keep_session (Guard refused).',
    'operation',
  ),
  guard_temporary_decisions: gauge(
    'Temporary decisions of `guard block` and `guard allow` that have not ended.',
  ),
  guard_crowdsec_decisions: gauge(
    'Decisions of CrowdSec that have not ended: addresses, networks, autonomous systems and countries.',
  ),
  guard_crowdsec_age_seconds: gauge(
    'Time since CrowdSec last sent its decisions; 0 when the settings name no CrowdSec.',
  ),
  guard_crawler_ranges_age_seconds: gauge(
    'Age of the oldest list of crawler addresses. Only lists that can be refreshed count.',
  ),
  guard_network_data_age_seconds: gauge(
    'Age of the network data in use: lists of networks, the databases country and asn.',
    'data',
  ),
  guard_rule_lists_age_seconds: gauge(
    'Time since the oldest list that rules take from a URL was confirmed.',
  ),
  guard_crawler_ranges_behind_seconds: gauge(
    'How much older the lists of crawler addresses of this instance are than the newest lists of an instance with the same shared store.',
  ),
  guard_log_lines_lost_total: counter(
    'Lines of the log that could not be written, because its disk is full or its reader has ended.',
  ),
  guard_reloads_total: counter(
    'Times the settings were read again, by outcome: applied, partly (a worker thread could not apply them, and starts again), refused.',
    'outcome',
  ),
  guard_workers: gauge('Threads that serve the gateway, if there are more than one.'),
  guard_workers_restarted_total: counter(
    'Worker threads that ended unexpectedly and were started again.',
  ),
  guard_event_loop_busy_seconds_total: counter(
    'Time in which threads were busy, by thread: main, or workers (the sum of all).',
    'thread',
  ),
  guard_last_reload_successful: gauge(
    '0 while the settings that were read last could not be applied, else 1.',
  ),
  guard_settings_info: gauge(
    'Always 1. The label is the value of the column settings_revision for the settings in use.',
    'revision',
  ),
  guard_settings_age_seconds: gauge('Age of the settings in use, since they were read.'),
  guard_settings_awaiting_restart: gauge(
    'Changed settings that take effect only at the next start.',
  ),
} as const;

export type MetricName = keyof typeof metrics;
