// What went wrong, in the words of the server.

import type { ComponentChildren } from 'preact'
import type { Failure } from '../api/client.ts'

interface FailureNoteProps {
  failure: Failure | null
  /** Why the rules refuse it: below a refusal by rules. */
  children?: ComponentChildren
}

export function FailureNote({ failure, children }: FailureNoteProps) {
  if (failure === null) return null
  return (
    <>
      <div role="alert" class="failure">
        {failure.text}
      </div>
      {failure.code === 'FORBIDDEN' && children}
    </>
  )
}
