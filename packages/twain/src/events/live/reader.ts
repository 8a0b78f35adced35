// Who reads events as they come.

import type { ApiError } from '#base'
import type { Interests, RenderedEvent } from '../feed/interest.ts'

export interface EventReader {
  interests: Interests
  /** The viewer's account; null for who has none. */
  account: string | null
  /** In the order of the log. Never waits: who can't take it in time ends itself. */
  receive(events: readonly RenderedEvent[]): void
  /** Between pages of what was missed: resolves when there is room for more. */
  whenDrained(): Promise<void> | null
  /** Nothing comes any more. Null: the server is going, and another is there for who comes again with the last cursor. */
  end(fault: ApiError | null): void
}
