/** Names of the search attributes that find stages, nodes and verdicts in the Temporal pages (design part 11). Each is a keyword. */
export const SEARCH_ATTRIBUTES = {
  session: 'A7Session',
  stage: 'A7Stage',
  node: 'A7Node',
  role: 'A7Role',
  verdict: 'A7Verdict',
  outcome: 'A7Outcome',
  order: 'A7Order',
  workspace: 'A7Workspace',
} as const;
