// The replies of a service to an operator's command.

import { CommandFailed } from '../report/explain-error.ts'
import type { OperatorReply } from './operator-connection.ts'

/** The JSON of a reply. Throws CommandFailed if it is an error. */
export function answerOf<T>(reply: OperatorReply): T {
  if (reply.status === 200) return JSON.parse(reply.text()) as T
  throw new CommandFailed(problemIn(reply))
}

export function problemIn({ status, text }: OperatorReply): string {
  try {
    const { detail, hint } = JSON.parse(text()) as { detail?: string; hint?: string }
    if (detail !== undefined) return hint === undefined ? detail : `${detail} ${hint}`
  } catch {}
  return `The service answered ${status}: ${text()}`
}
