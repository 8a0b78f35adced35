/** An error of a connection, with a code as errors of the server have. */
export class DatabaseError extends Error {
  readonly code: string

  constructor(message: string, code: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** Errors of the driver itself have no code: the connection has ended. */
export function toDatabaseError(error: Error): Error {
  if (typeof (error as { code?: unknown }).code === 'string' || error instanceof RangeError) return error
  return new DatabaseError(error.message, 'CONNECTION_CLOSED', error)
}

/** The code is protocol_violation: callers see an unavailable database. */
export function protocolError(): DatabaseError {
  return new DatabaseError('The server sent an unexpected message.', '08P01')
}

export function connectionClosed(why: string): DatabaseError {
  return new DatabaseError(why, 'CONNECTION_CLOSED')
}

/** Whether a prepared statement must be prepared again: a pooler switched the session (invalid_sql_statement_name), or the plan
 *  no longer fits the tables. */
export function isOutdatedStatement(error: Error & { code?: unknown; routine?: unknown }): boolean {
  return error.code === '26000' || error.routine === 'RevalidateCachedQuery'
}
