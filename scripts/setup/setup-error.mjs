// What set-up says when something cannot be had: one message and the next step.

export class SetupError extends Error {
  /** `reason` completes "Cannot set up <step>: …"; `nextStep` is what a person does about it. */
  constructor(reason, nextStep, options) {
    super(reason, options);
    this.name = 'SetupError';
    this.nextStep = nextStep;
  }
}
