/** The services behind work orders, each loaded when it is first asked for. */
import type { OrderServices } from '../../../core/ports/order-services.ts';
import type { Surroundings } from '../common.ts';

/** Wired for this process. */
export function createOrderServices(around: Surroundings): OrderServices {
  return {
    submit: async (asked, watch, stop) => (await import('./submit.ts')).submit(around, asked, watch, stop),
    retry: async (id, change, watch, stop) =>
      (await import('./again.ts')).retry(around, id, change, watch, stop),
    watch: async (id, backend, watch, stop) =>
      (await import('./again.ts')).watchAgain(around, id, backend, watch, stop),
    list: async () => (await import('./inspect.ts')).listOrders(around),
    show: async (id) => (await import('./inspect.ts')).showOrder(around, id),
    logs: async (id, iteration) => (await import('./inspect.ts')).orderLogs(around, id, iteration),
    diff: async (id, iteration) => (await import('./inspect.ts')).orderDiff(around, id, iteration),
    report: async (id, iteration) => (await import('./inspect.ts')).orderReport(around, id, iteration),
    cancel: async (id, reason) => (await import('./message.ts')).cancelOrder(around, id, reason),
    advise: async (id, text) => (await import('./message.ts')).adviseOrder(around, id, text),
    promote: async (id, to, repo) => (await import('./promote.ts')).promote(around, id, to, repo),
    replay: async (name, bundle) => (await import('./replay.ts')).replay(around, name, bundle),
    attest: async (id, key) => (await import('./attest.ts')).attestOrder(around, id, key),
    agents: async () => (await import('./agents.ts')).listAgents(),
    install: async (name) => (await import('./agents.ts')).installNamed(name),
    serve: async (backend, watch, stop) =>
      (await import('./again.ts')).serveOrders(around, backend, watch, stop),
  };
}
