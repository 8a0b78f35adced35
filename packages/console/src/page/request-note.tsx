// What a page says until its first answer is there: that it loads, or what went wrong.

import type { ComponentProps } from 'preact'
import { texts } from '../texts.ts'
import { FailureNote } from './failure-note.tsx'

interface RequestNoteProps extends ComponentProps<typeof FailureNote> {
  /** Null until the first answer. */
  result: unknown
}

export function RequestNote({ result, ...note }: RequestNoteProps) {
  if (note.failure === null && result === null) return <p role="status">{texts.loading}</p>
  return <FailureNote {...note} />
}
