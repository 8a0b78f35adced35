// The one bag beside a plan.

import type { RunOptions } from '#store'

export interface ExecuteOptions extends RunOptions {
  /** The client chose no fields (REST's default representation), so depth and cost are not limited. */
  isDefaultSelection?: boolean
}
