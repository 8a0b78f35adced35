// The hooks of custom code around writes, as the engine calls them.

import type { Viewer } from '#base/http'
import type { Resource } from '#model'
import type { Engine } from '../engine.ts'

export interface CodeHooks {
  /** The names of the types that have such a hook. */
  readonly before: ReadonlySet<string>
  readonly after: ReadonlySet<string>
  /** Rejects to roll the write back. `engine` runs inside the transaction of the write. */
  run(hook: 'before' | 'after', of: Resource, write: HookedWrite, viewer: Viewer, engine: Engine): Promise<void>
  /** The row that hooks get, read without rules. */
  row(of: Resource, id: string, engine: Engine): Promise<object | null>
}

export type HookedWrite =
  /** For `before`: the row as it is, and as it would be. A row that is created along with another has no id yet. */
  | { kind: 'create' | 'update' | 'delete'; id: string | null; row: object | null; next: object | null }
  /** For `after`: the row as it is now. */
  | { kind: 'created' | 'updated' | 'deleted'; id: string; row: object | null }
