// What a verified token or key states about its bearer. Permissions are looked up for each request (`viewers.ts`); an identity
// has only those that no table stores.

import type { ExternalIdentity } from './external-issuer.ts'
import type { AccessClaims, ActingClaims, OperatorClaims } from './signed-tokens.ts'

export type Identity =
  | ({ kind: 'access' } & AccessClaims)
  | ({ kind: 'operator' } & OperatorClaims)
  | ({ kind: 'acting' } & ActingClaims)
  | ({ kind: 'external' } & ExternalIdentity)
  | { kind: 'key'; hash: string; expires: number }
