// What went wrong, in the words of the server.

import type { Failure } from '../api/client.ts'

export function FailureNote({ failure }: { failure: Failure | null }) {
  if (failure === null) return null
  return (
    <div role="alert" class="failure">
      {failure.text}
    </div>
  )
}
