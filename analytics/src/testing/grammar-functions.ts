/**
 * Functions to which the database's parser translates operators and clauses, in lower case. Their names are not in the
 * text of a statement.
 */
export const GRAMMAR_FUNCTIONS: ReadonlySet<string> = new Set(
  (
    'and or not equals notequals less lessorequals greater greaterorequals plus minus multiply ' +
    'divide modulo negate concat in notin globalin globalnotin like notlike ilike notilike match ' +
    'isnull isnotnull isdistinctfrom isnotdistinctfrom exists array arrayelement tuple tupleelement ' +
    'cast _cast casewithexpression casewithoutexpression multiif if between lambda ' +
    'tointervalsecond tointervalminute tointervalhour tointervalday tointervalweek tointervalyear ' +
    'trimboth trimleft trimright substring overlay position min max ' +
    'toyear tohour nullin singlevalueornull'
  ).split(' '),
);
