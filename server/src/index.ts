export { sendAlert } from './alerts/send-alert.ts';
export { createMetrics } from './metrics/metrics.ts';
export { createLog } from './process/log.ts';
export { createReloader } from './reload/reloader.ts';
export { type DashboardLink, type Running, startGuard } from './start-guard.ts';
