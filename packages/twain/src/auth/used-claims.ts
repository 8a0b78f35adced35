// Which claims of external tokens the schema file uses, and the report of claims that don't fit the fields they are compared with.

import type { Log } from '#base'
import type { ViewerClaims } from '#base/http'
import type { Model } from '#model'
import { printType } from '#model/names'
import { claimShape } from '#plan'
import type { UsedClaims } from './tokens/external-issuer.ts'

export function usedClaims({ claims, account }: Model): UsedClaims {
  const fields = [...(account?.resource.fields.values() ?? [])].filter(({ kind }) => kind === 'stored')
  return { named: [...new Set(claims.map(({ name }) => name))], ofAccounts: fields.map(({ name }) => name) }
}

/** Only tokens of external issuers have claims. */
export function warnOfUnusedClaims({ claims }: Model, log: Log): void {
  if (claims.length === 0) return
  const names = [...new Set(claims.map(({ name }) => name))].join(', ')
  log.warn(
    { claims: names },
    'the schema names claims, but no external issuer is set (auth.issuer): nothing matches them',
  )
}

/** Logs each use once: a claim of another type matches nothing, which looks like a missing right. It never logs a value. */
export function claimReporter({ claims: uses }: Model, log: Log): (claims: ViewerClaims) => void {
  const reported = new Set<object>()
  return (claims) => {
    for (const use of uses) {
      const { name, type, what, place } = use
      if (!Object.hasOwn(claims.values, name) || isEmptyList(claims.values[name]) || reported.has(use)) continue
      if (claimShape(name, type, claims) !== 'none') continue
      reported.add(use)
      const at = `${place.file}:${place.line}`
      log.warn({ claim: name, field: what, expected: printType(type), at }, 'a claim of another type matches nothing')
    }
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
