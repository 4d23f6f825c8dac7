export {
  type ComparisonResult,
  Comparison,
  type ComparisonPlan,
  readLine,
} from './judge/comparison.ts';
export { siteFault } from './judge/route-logged.ts';
export { type Group, isChange } from './judge/tally.ts';
export type { Outcome } from './logged/logged-request.ts';
export { type Ask, countEvents, readEvents } from './logged/stored-events.ts';
export { createReplay } from './process/create-replay.ts';
export type { ReplayChange } from './change/change.ts';
