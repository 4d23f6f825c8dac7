/**
 * How to test a path with several readings, or a field or parameter that was sent twice. `some`: one matching reading
 * is enough, so that no visitor can evade a strict rule with another spelling. `every`: all readings must match, so
 * that no visitor can use a lenient rule with another spelling.
 */
export type Reading = 'some' | 'every';
