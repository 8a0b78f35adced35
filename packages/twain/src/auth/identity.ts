// Who a token or a key says that it is. What they may is looked up each time (`viewers.ts`): nothing of that stands here, but
// for what nobody else knows.

import type { Foreign } from './external-issuer.ts'
import type { Access, Operator } from './signed-tokens.ts'

export type Identity =
  | ({ kind: 'access' } & Access)
  | ({ kind: 'operator' } & Operator)
  | ({ kind: 'foreign' } & Foreign)
  | { kind: 'key'; hash: string; expires: number }
