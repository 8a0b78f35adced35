// Who a token or a key says that it is. What they may is looked up each time (`viewers.ts`): nothing of that stands here, but
// for what nobody else knows.

import type { ExternalIdentity } from './external-issuer.ts'
import type { AccessClaims, OperatorClaims } from './signed-tokens.ts'

export type Identity =
  | ({ kind: 'access' } & AccessClaims)
  | ({ kind: 'operator' } & OperatorClaims)
  | ({ kind: 'external' } & ExternalIdentity)
  | { kind: 'key'; hash: string; expires: number }
