// Refuses a write of a row that the viewer can read.

import type { Resource } from '#model'
import type { StoredRow } from '../access/stored-row.ts'
import type { Step } from '../steps/query-step.ts'
import { rowName } from './row-name.ts'
import { forbidden } from './write-rules.ts'
import type { WriteState } from './write-state.ts'

/** An anonymous viewer gets 401 where signing in might help. */
export function* denyAccess(
  action: 'update' | 'delete',
  resource: Resource,
  row: StoredRow,
  state: Pick<WriteState, 'context' | 'rules'>,
): Step<never> {
  state.rules.requireSignIn(action, resource.name)
  const name = yield* rowName(resource, row, state)
  const what = name === resource.name ? `this ${name}` : `the ${name}`
  throw forbidden(`You may not ${action} ${what}.`, action === 'delete' ? 'DELETE' : 'UPDATE')
}
