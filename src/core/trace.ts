/** One request of a recorded load. */
export interface TraceRow {
  /** Seconds from the trace's first row; never falls from row to row. */
  readonly atS: number
  /** Absent only beside `body`, whose length nobody told. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Ids of the blocks that the prompt is made of, in order: prompts that begin with the same ids begin with the same text. */
  readonly blocks?: readonly number[]
  /** A whole request body, to be sent as it is. */
  readonly body?: Readonly<Record<string, unknown>>
}

export interface Trace {
  /** At least one. */
  readonly rows: readonly TraceRow[]
  /** Tokens of a block; every block but a prompt's last is full. Absent where no row has blocks. */
  readonly blockTokens?: number
  /** What a person should know before it is played, such as a long silence in it. */
  readonly notes: readonly string[]
}
