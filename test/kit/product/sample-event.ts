/** This module is for tests of packages that may not import analytics. */
export { sampleEvent } from '../../../analytics/src/testing/sample-event.ts';
