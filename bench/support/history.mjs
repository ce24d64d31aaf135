// Reads what the server recorded: its own times and its own sizes.

/** Events of all runs of a workflow, oldest first; each run that continued as new counts. */
export async function eventsOf(client, workflowId) {
  const runs = [];
  let runId;
  do {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const events = history.events ?? [];
    runs.unshift(events);
    runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? '';
  } while (runId !== '');
  return runs.flat();
}

/** For each scheduled activity of that name, in order: server time, event id, and history size by then. */
export function activityMarks(events, activityName) {
  const marks = [];
  let bytes = 0;
  for (const event of events) {
    bytes = Number(event.workflowTaskStartedEventAttributes?.historySizeBytes ?? bytes);
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name !== activityName) continue;
    marks.push({ timeMs: timeOf(event), eventId: Number(event.eventId), bytes });
  }
  return marks;
}

/** Milliseconds of an event. */
export function timeOf(event) {
  return Number(event.eventTime.seconds) * 1000 + Number(event.eventTime.nanos ?? 0) / 1e6;
}

/** Size of a workflow's history as its server counts it. */
export async function historySize(client, workflowId) {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const info = raw.workflowExecutionInfo;
  return { events: Number(info.historyLength), bytes: Number(info.historySizeBytes) };
}
