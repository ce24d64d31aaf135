/** Entry of the workflow bundle. */
export { buildStage } from './build-stage.ts';
export { runAgent } from './run-agent.ts';
export { workOrder } from './work-order.ts';
