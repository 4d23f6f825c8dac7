type MetricEntry = {
  readonly help: string;
} & (
  | { readonly kind: 'counter'; readonly label: string | undefined }
  | {
      readonly kind: 'gauge';
      readonly label: string | undefined;
      /** Each thread has its own value, and the highest is shown. By default it is the main thread's value. */
      readonly threads?: 'highest';
    }
  /** `buckets`: upper bounds, ascending. */
  | { readonly kind: 'histogram'; readonly label: undefined; readonly buckets: readonly number[] }
);

/** Every metric Guard exposes: kind, help text, and the one label it may carry. Labels are bounded sets. */
export const metrics = {
  guard_gateway_requests_total: {
    kind: 'counter',
    label: 'outcome',
    help: 'Requests the gateway finished, by outcome: forwarded, served, refused, failed, aborted, unknown_host.',
  },
  guard_gateway_fail_open_total: {
    kind: 'counter',
    label: 'reason',
    help: 'Requests passed to the origin because the validator gave no usable answer, by reason: timeout, connection, breaker_open, server_error, unsuccessful, bad_answer.',
  },
  guard_gateway_fail_closed_total: {
    kind: 'counter',
    label: 'reason',
    help: 'Requests denied without a decision, by reason. The validator rejected the question (4xx): the error type of its answer, else status_ and the number. The gateway had too many open questions: overloaded.',
  },
  guard_gateway_validators_away: {
    kind: 'gauge',
    label: undefined,
    threads: 'highest',
    help: 'Remote validators that are not asked at present, because they gave no answer lately.',
  },
  guard_gateway_breaker_changes_total: {
    kind: 'counter',
    label: 'change',
    help: 'Changes of the circuit breakers in front of remote validators: opened, stayed_open, closed.',
  },
  guard_gateway_origin_errors_total: {
    kind: 'counter',
    label: 'reason',
    help: 'Requests answered with 502, 503 or 504, or cut off, because of the origin, by reason: connect, timeout, reset, malformed, busy, truncated.',
  },
  guard_gateway_connections_refused_total: {
    kind: 'counter',
    label: 'reason',
    help: 'Connections closed before their first request, by reason: full, address_full, untrusted_peer, proxy_header_malformed, proxy_header_late.',
  },
  guard_gateway_certificate_expiry_timestamp_seconds: {
    kind: 'gauge',
    label: 'host',
    help: 'When the certificate shown for a host ends, in seconds since 1970; by the first host of each certificate.',
  },
  guard_certificates_awaited: {
    kind: 'gauge',
    label: undefined,
    threads: 'highest',
    help: 'Hosts of tls.acme for which there is no certificate yet.',
  },
  guard_certificate_orders_total: {
    kind: 'counter',
    label: 'outcome',
    help: 'Certificates ordered by ACME at this instance, by outcome: issued, refused (by the authority), away (the authority could not be reached).',
  },
  guard_gateway_one_address: {
    kind: 'gauge',
    label: undefined,
    threads: 'highest',
    help: '1 while nearly all requests come from one address, so that a proxy is likely taken for the visitor, else 0.',
  },
  guard_gateway_forwarded_undecided_total: {
    kind: 'counter',
    label: undefined,
    help: 'Requests of trusted proxies in which X-Forwarded-For and Forwarded named different visitors, with nothing to tell which one the proxy wrote: they count as the proxy’s.',
  },
  guard_forward_auth_requests_total: {
    kind: 'counter',
    label: 'outcome',
    help: 'Requests of proxies that ask in forward-auth mode, by outcome: passed, denied, fetched, refused, aborted, failed.',
  },
  guard_decisions_total: {
    kind: 'counter',
    label: 'action',
    help: 'Decisions of the validator, by the action enforced: allow, block, challenge, limited.',
  },
  guard_decision_duration_seconds: {
    kind: 'histogram',
    label: undefined,
    buckets: [
      0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
      0.1, 0.25, 0.5,
    ],
    help: 'How long decisions took, in seconds.',
  },
  guard_block_reasons_total: {
    kind: 'counter',
    label: 'reason',
    help: 'Signals against visitors, by block reason; a decision can have several, also where nothing was enforced.',
  },
  guard_challenges_total: {
    kind: 'counter',
    label: 'result',
    help: 'Challenge uploads, by result: verified, work (asked for), rejected, limited, unavailable, or the reason they were refused.',
  },
  guard_pressure_changes_total: {
    kind: 'counter',
    label: 'change',
    help: 'Groups of visitors whose free pages ended under pressure, by cause: pressure_by_client, pressure_on_path, pressure_on_origin; and groups that became normal again: ended.',
  },
  guard_events_total: {
    kind: 'counter',
    label: 'fate',
    help: 'Events, by fate: recorded, written, retried, spilled, dropped.',
  },
  guard_events_queued: {
    kind: 'gauge',
    label: undefined,
    help: 'Events recorded and not yet acknowledged by the database.',
  },
  guard_analytics_restarts_total: {
    kind: 'counter',
    label: undefined,
    help: 'Times the embedded engine was started again after it went away.',
  },
  guard_analytics_failing: {
    kind: 'gauge',
    label: undefined,
    help: '1 while the embedded database does not start, or waits for room on its disk, and the log says why, else 0.',
  },
  guard_analytics_deletion_held: {
    kind: 'gauge',
    label: undefined,
    help: '1 while the embedded database keeps rows beyond their time, because the clock made a step of more than a day, else 0.',
  },
  guard_sessions: {
    kind: 'gauge',
    label: undefined,
    threads: 'highest',
    help: 'Sessions held in memory.',
  },
  guard_store_away: {
    kind: 'gauge',
    label: undefined,
    threads: 'highest',
    help: '1 while the shared store gives no answer and decisions go on from what this instance knows, else 0; a store in memory is never away.',
  },
  guard_store_snapshot_age_seconds: {
    kind: 'gauge',
    label: undefined,
    help: 'Age of the snapshot on disk of a store in memory; since the start, where there is none yet.',
  },
  guard_store_unanswered_total: {
    kind: 'counter',
    label: 'operation',
    help: 'Questions the shared store did not answer, by operation: session, take and remember went on from local state, spend and keep_session were refused.',
  },
  guard_temporary_decisions: {
    kind: 'gauge',
    label: undefined,
    help: 'Temporary decisions of `guard block` and `guard allow` that stand.',
  },
  guard_crowdsec_decisions: {
    kind: 'gauge',
    label: undefined,
    help: 'Decisions of CrowdSec that stand: addresses, networks, autonomous systems and countries.',
  },
  guard_crowdsec_age_seconds: {
    kind: 'gauge',
    label: undefined,
    help: 'Time since CrowdSec last said its decisions; 0 where the settings name no CrowdSec.',
  },
  guard_crawler_ranges_age_seconds: {
    kind: 'gauge',
    label: undefined,
    help: 'Age of the oldest list of crawler addresses among those that can be refreshed.',
  },
  guard_network_data_age_seconds: {
    kind: 'gauge',
    label: 'data',
    help: 'Age of the network data in use, since it was made: lists of networks, the databases country and asn.',
  },
  guard_rule_lists_age_seconds: {
    kind: 'gauge',
    label: undefined,
    help: 'Time since the oldest list that rules take from a URL was confirmed.',
  },
  guard_crawler_ranges_behind_seconds: {
    kind: 'gauge',
    label: undefined,
    help: 'How much older the lists of crawler addresses are here than at the instance with the newest, where several share a store.',
  },
  guard_log_lines_lost_total: {
    kind: 'counter',
    label: undefined,
    help: 'Lines of the log that could not be written: its disk is full, or its reader has gone.',
  },
  guard_reloads_total: {
    kind: 'counter',
    label: 'outcome',
    help: 'Times the settings were read again, by outcome: applied, partly (a worker thread could not apply them, and starts again), refused.',
  },
  guard_workers: {
    kind: 'gauge',
    label: undefined,
    help: 'Threads that serve the gateway, where there is more than one.',
  },
  guard_workers_restarted_total: {
    kind: 'counter',
    label: undefined,
    help: 'Worker threads that ended unasked and were begun again.',
  },
  guard_event_loop_busy_seconds_total: {
    kind: 'counter',
    label: 'thread',
    help: 'Time in which threads had something to do, by thread: main, and workers, all together.',
  },
  guard_last_reload_successful: {
    kind: 'gauge',
    label: undefined,
    help: '0 while the settings that were read last could not be applied, else 1.',
  },
  guard_settings_info: {
    kind: 'gauge',
    label: 'revision',
    help: 'Always 1; names the settings in use as the column settings_revision does.',
  },
  guard_settings_age_seconds: {
    kind: 'gauge',
    label: undefined,
    help: 'Age of the settings in use, since they were read.',
  },
  guard_settings_awaiting_restart: {
    kind: 'gauge',
    label: undefined,
    help: 'Settings that were changed and take effect at the next start only.',
  },
} as const satisfies Record<string, MetricEntry>;

export type MetricName = keyof typeof metrics;
