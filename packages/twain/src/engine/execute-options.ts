// The one bag beside a plan.

import type { RequestCaller } from '#base/http'
import type { RunOptions } from '#store'

export interface ExecuteOptions extends RunOptions {
  /** The client chose no fields (REST's default representation), so depth and cost are not limited. */
  isDefaultSelection?: boolean
  /** Of a bulk write: nothing stays written, and no key is used up. */
  isDryRun?: boolean
  /** Absent: the server itself, or custom code. */
  caller?: RequestCaller | undefined
}
