// What an engine can and cannot do, as a closed list of facts that the conformance suite checks.

export interface Capabilities {
  /** What is accepted survives a restart of the process. */
  readonly durable: boolean;
  /** Several processes may open the same store at once. */
  readonly shared: boolean;
  /** `watch` pushes wake-ups (else callers poll). */
  readonly watch: boolean;
  /** A caller's own transaction can carry a submit. */
  readonly transactional: boolean;
}
