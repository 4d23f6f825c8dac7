/** For tests of packages that know nothing of analytics. */
export { sampleEvent } from '../../analytics/src/testing/sample-event.ts';
