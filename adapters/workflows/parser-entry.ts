/** What of the CI service's own libraries is bundled (scripts/build.mjs): imported as they are, Node refuses their JSON. */
export { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
export { data, Evaluator, Lexer, Parser } from '@actions/expressions';
