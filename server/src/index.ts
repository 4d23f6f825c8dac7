export { sendAlert } from './alerts/send-alert.ts';
export { createMetrics } from './metrics/metrics.ts';
export { createLog } from './process/log.ts';
export { fetchFault, readAtMost } from './refresh/fetch-list.ts';
export type { FetchReport, FetchTerms } from './refresh/fetch-report.ts';
export { type ListReport, refreshCrawlers } from './refresh/refresh-crawlers.ts';
export { type DirectoryReport, refreshDirectory } from './refresh/refresh-directory.ts';
export { createReloader } from './reload/reloader.ts';
export { type DashboardLink, type Running, startGuard } from './start-guard.ts';
