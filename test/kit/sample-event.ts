/** For tests of packages that know nothing of analytics. */
export { sampleEvent } from '../../analytics/test-kit/sample-event.ts';
